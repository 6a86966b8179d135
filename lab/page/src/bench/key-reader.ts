// Reads moves from single key strokes. A move is taken as soon as its key is complete. A longer key
// may begin with a complete one (`1-` with `1`): then its next letter takes that move back first.
import type { GameState } from '../engine/types';

interface Taken {
  key: string;
  before: string[];
  after: string;
}

export interface KeyActions {
  play(key: string): GameState | null;
  retract(): void;
  report(typed: string): void;
}

export class KeyReader {
  private typed = '';
  private taken: Taken | null = null;

  constructor(private readonly actions: KeyActions) {}

  // Whether the stroke belongs to a move.
  take(letter: string, game: GameState): boolean {
    const keys = game.moves.map((move) => move.key);
    const begins = (text: string, among: string[]) => among.some((key) => key.startsWith(text));
    const taken = this.taken?.after === game.short ? this.taken : null;
    const fresh = this.typed === '' && !begins(letter, keys);
    if (fresh && taken && begins(taken.key + letter, taken.before)) {
      this.actions.retract();
      return this.add(taken.key + letter, taken.before);
    }
    if (begins(this.typed + letter, keys)) return this.add(this.typed + letter, keys);
    return this.forget();
  }

  // Whether there was something to forget.
  forget(): boolean {
    const had = this.typed !== '';
    this.set('');
    return had;
  }

  private add(typed: string, keys: string[]): boolean {
    if (!keys.includes(typed)) {
      this.set(typed);
      return true;
    }
    this.set('');
    const next = this.actions.play(typed);
    this.taken = next && { key: typed, before: keys, after: next.short };
    return true;
  }

  private set(typed: string) {
    this.typed = typed;
    this.actions.report(typed);
  }
}
