// The engine's calls with typed answers.
import { type Call, startCalls } from './calls.mjs';
import type { Advice, Comparison, Found, GameState, Scenario, SearchProgress, WrongPart } from './types';

// The engine says no, and is as it was.
export class EngineError extends Error {
  constructor(
    why: string,
    readonly wrong?: WrongPart,
  ) {
    super(why);
  }
}

interface Refusal {
  error?: string;
  wrong?: WrongPart;
}

export class Engine {
  private constructor(
    private readonly module: WebAssembly.Module,
    private readonly call: Call,
  ) {}

  static async start(
    module: WebAssembly.Module,
    onProgress: (progress: SearchProgress) => void = () => {},
  ): Promise<Engine> {
    const call = await startCalls(module, (states, transitions, depth) => {
      onProgress({ states, transitions, depth });
      return true;
    });
    return new Engine(module, call);
  }
  // One with a game of its own.
  another(): Promise<Engine> {
    return Engine.start(this.module);
  }

  scenarios(): Scenario[] {
    return this.ask('scenarios');
  }
  // A run in the one-line form: `NAME:` begins a game, `NAME,clients=3:` one with other bounds.
  open(short: string): GameState {
    return this.game('open', short);
  }
  // As many steps of the run as its scenario can take.
  fitting(short: string): string {
    return this.ask<{ short: string }>('fitting', short).short;
  }
  // The line of a terminal that searches all runs within the bounds of this one.
  exploreCommand(short: string): string {
    return this.ask<{ explore: string }>('fitting', short).explore;
  }
  compare(one: string, other: string): Comparison {
    return this.ask('compare', one, other);
  }
  play(key: string): GameState {
    return this.game('play', key);
  }
  undo(): GameState {
    return this.game('undo');
  }
  restart(): GameState {
    return this.game('restart');
  }
  advice(states: number): Advice {
    return this.ask('advice', states);
  }
  // A picture of the game's run, as its text.
  draw(format: 'svg' | 'json'): string {
    return this.call('draw', 0, format);
  }
  explore(states: number): Found {
    return this.ask('explore', states);
  }

  private game(name: string, ...values: string[]): GameState {
    const state: Omit<GameState, 'lines'> = this.ask(name, ...values);
    return { ...state, lines: this.ask('lines') };
  }

  private ask<Answer>(name: string, ...values: (string | number)[]): Answer {
    const answer = JSON.parse(this.call(name, ...values)) as Answer & Refusal;
    if (answer.error !== undefined) throw new EngineError(answer.error, answer.wrong);
    return answer;
  }
}
