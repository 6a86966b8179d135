// The keyboard of the bench: moves, undo, hint, and the way to the repairs.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { GameState } from '../engine/types';
import { KeyReader } from './key-reader';

interface Actions {
  play(key: string): GameState | null;
  retract(): void;
  undo(): void;
  hint(): void;
  // Moves to the repairs, where there are some to choose.
  repair: (() => void) | undefined;
}

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && target.matches('input:not([type="range"]), textarea, select');

export function useBenchKeys(game: GameState, actions: Actions): string {
  const [typed, setTyped] = useState('');
  const latest = useRef({ game, actions });
  latest.current = { game, actions };

  useEffect(() => {
    const reader = new KeyReader({
      play: (key) => {
        const next = latest.current.actions.play(key);
        if (next) latest.current.game = next;
        return next;
      },
      retract: () => latest.current.actions.retract(),
      report: setTyped,
    });
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.altKey || event.metaKey || isTyping(event.target)) return;
      const { game: now, actions: act } = latest.current;
      if (event.key === 'Escape') reader.forget();
      else if (event.key === 'Backspace') {
        event.preventDefault();
        if (!reader.forget()) act.undo();
      } else if (event.key.length > 1 || event.key === ' ') return;
      else if (reader.take(event.key, now)) event.preventDefault();
      else if (event.key === 'u') act.undo();
      else if (event.key === 'h') act.hint();
      else if (event.key === 'r') act.repair?.();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  return typed;
}
