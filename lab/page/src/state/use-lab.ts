// What is open, its address and what is wrong with it. Every change of the game goes through here.
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { EngineError, type Engine } from '../engine/engine';
import type { Comparison, GameState, Scenario } from '../engine/types';
import { readAddress, writeAddress, type Address } from './address';
import { problemOf, rightPart, type AddressProblem } from './address-problem';
import { readPasted } from './pasted';

export interface Lab {
  game: GameState | null;
  comparison: Comparison | null;
  // Whether the address is that of the run from a file.
  file: boolean;
  repairOf: string;
  shown: number;
  // What is wrong with the page's address. It stands there until something else is opened.
  problem: AddressProblem | null;
  show(step: number): void;
  play(key: string): GameState | null;
  undo(): GameState | null;
  restart(): GameState | null;
  open(short: string, repairOf?: string, step?: number): GameState | null;
  compare(one: string, other: string): void;
  // The run that the player keeps for a comparison; empty: none.
  kept: string;
  keep(short: string): void;
  // Opens what a reader has pasted. If something in it is wrong, says what, and opens nothing.
  paste(text: string): AddressProblem | null;
  // Compares with what a reader has pasted. Says what is wrong with it, and then compares nothing.
  pasteBeside(short: string, text: string): AddressProblem | null;
  // Why a run cannot be opened, in the engine's words; empty: it can.
  refusal(short: string): string;
  // The line of a terminal that searches within the bounds of this run; empty: they are refused.
  exploreCommand(short: string): string;
  openFile(): void;
  forgetProblem(): void;
  leave(): void;
}

type Content =
  | { is: 'map' }
  | { is: 'file' }
  | { is: 'run'; game: GameState }
  | { is: 'comparison'; comparison: Comparison };

interface View {
  content: Content;
  repairOf: string;
  problem: AddressProblem | null;
}

const map: View = { content: { is: 'map' }, repairOf: '', problem: null };
const stepsOf = (game: GameState) => game.run.length - 1;

// A lesson, if this scenario is one of the changes that may repair it.
const meantRepair = (scenarios: Scenario[], lesson: string, name: string) =>
  scenarios.find((one) => one.name === lesson)?.repairs.some(({ scenario }) => scenario === name) ? lesson : '';

const nameIn = ({ content }: View) =>
  content.is === 'run' ? content.game.name : content.is === 'comparison' ? content.comparison.one.name : '';

// What an address shows. Of a wrong one as much as is right.
function follow(engine: Engine, address: Address): View {
  if (address.is === 'map' || address.is === 'file') return { ...map, content: { is: address.is } };
  const { repairOf } = address;
  if (address.is === 'comparison') {
    try {
      const comparison = engine.compare(address.one, address.other);
      return { content: { is: 'comparison', comparison }, repairOf, problem: null };
    } catch (error) {
      const first = follow(engine, { is: 'run', short: address.one, repairOf });
      return { ...first, problem: first.problem ?? problemOf(engine, error, address.other, 0) };
    }
  }
  const short = address.short.includes(':') ? address.short : `${address.short}:`;
  try {
    return { content: { is: 'run', game: engine.open(short) }, repairOf, problem: null };
  } catch (error) {
    const kept = error instanceof EngineError ? rightPart(engine, short) : null;
    if (kept === null) return { ...map, problem: problemOf(engine, error, address.short, 0) };
    const game = engine.open(kept);
    return { content: { is: 'run', game }, repairOf, problem: problemOf(engine, error, short, stepsOf(game)) };
  }
}

const isProblem = (read: Address | AddressProblem): read is AddressProblem =>
  !['map', 'file', 'run', 'comparison'].includes(read.is);

// What an address has behind its runs is left out if it means nothing, and that is said.
function lookedAt(view: View, address: Address, scenarios: Scenario[]): View {
  if (view.problem || (address.is !== 'run' && address.is !== 'comparison')) return view;
  if (address.unknown) return { ...view, problem: { is: 'marks', marks: address.unknown.slice(0, 60) } };
  const { repairOf } = address;
  const run = nameIn(view);
  if (!repairOf || meantRepair(scenarios, repairOf, run)) return view;
  return { ...view, problem: { is: 'repair', name: repairOf.slice(0, 60), run } };
}

function addressOf({ content, repairOf }: View): Address {
  if (content.is === 'run') return { is: 'run', short: content.game.short, repairOf };
  if (content.is !== 'comparison') return { is: content.is };
  const { one, other } = content.comparison;
  return { is: 'comparison', one: one.short, other: other.short, repairOf };
}

export function useLab(engine: Engine, scenarios: Scenario[]): Lab {
  const [view, setView] = useState<View>(map);
  const [shown, show] = useState(0);
  const [kept, keep] = useState('');
  const written = useRef('');

  const accept = useCallback(
    (asked: View, step?: number) => {
      const next = { ...asked, repairOf: meantRepair(scenarios, asked.repairOf, nameIn(asked)) };
      setView(next);
      const { content } = next;
      if (content.is === 'run') show(step ?? stepsOf(content.game));
      written.current = writeAddress(addressOf(next));
    },
    [scenarios],
  );
  // A new place in the history, unless it is the one that is open.
  const go = useCallback(
    (next: View, step?: number) => {
      accept(next, step);
      // To set `location.hash` would lay the page out at once, in search of an element of that name.
      if (location.hash !== written.current) history.pushState(null, '', written.current);
    },
    [accept],
  );

  useEffect(() => {
    const look = () => {
      if (location.hash === written.current && location.hash !== '') return;
      const address = readAddress(location.hash);
      const next = lookedAt(follow(engine, address), address, scenarios);
      accept(next);
      // The address is that of what is shown; of an unknown lesson there is nothing to show.
      const tidy = next.content.is === 'run' || next.content.is === 'comparison';
      if (tidy && location.hash !== written.current) history.replaceState(null, '', written.current);
    };
    look();
    addEventListener('hashchange', look);
    return () => removeEventListener('hashchange', look);
  }, [engine, scenarios, accept]);

  return useMemo(() => {
    const { content, repairOf, problem } = view;
    const change = (act: () => GameState, of: string, step?: number): GameState | null => {
      try {
        const game = act();
        go({ content: { is: 'run', game }, repairOf: of, problem: null }, step);
        return game;
      } catch (error) {
        if (error instanceof EngineError) return null;
        throw error;
      }
    };
    return {
      game: content.is === 'run' ? content.game : null,
      comparison: content.is === 'comparison' ? content.comparison : null,
      file: content.is === 'file',
      repairOf,
      shown,
      problem,
      show,
      play: (key) => change(() => engine.play(key), repairOf),
      undo: () => change(() => engine.undo(), repairOf),
      restart: () => change(() => engine.restart(), repairOf),
      open: (short, of = '', step) => change(() => engine.open(short), of, step),
      kept,
      keep,
      compare: (one, other) => go(follow(engine, { is: 'comparison', one, other, repairOf })),
      paste: (text) => {
        const address = readPasted(text);
        if (isProblem(address)) return address;
        const here = content.is === 'run' ? content.game.short : '';
        const next = lookedAt(follow(engine, address), address, scenarios);
        if (!next.problem && (next.content.is === 'run' || next.content.is === 'comparison')) {
          go(next);
          return null;
        }
        if (here) engine.open(here);
        return next.problem;
      },
      pasteBeside: (short, text) => {
        const address = readPasted(text);
        if (isProblem(address)) return address;
        if (address.is !== 'run') return { is: 'form', text };
        if (address.unknown) return { is: 'marks', marks: address.unknown };
        try {
          engine.compare(short, address.short);
        } catch (error) {
          return problemOf(engine, error, address.short, 0);
        }
        go(follow(engine, { is: 'comparison', one: short, other: address.short, repairOf }));
        return null;
      },
      refusal: (short) => {
        try {
          engine.fitting(short);
          return '';
        } catch (error) {
          return error instanceof Error ? error.message : String(error);
        }
      },
      exploreCommand: (short) => {
        try {
          return engine.exploreCommand(short);
        } catch (error) {
          if (error instanceof EngineError) return '';
          throw error;
        }
      },
      openFile: () => go({ ...map, content: { is: 'file' } }),
      forgetProblem: () => setView((open) => (open.problem ? { ...open, problem: null } : open)),
      leave: () => void (location.hash = ''),
    };
  }, [engine, scenarios, go, view, shown, kept]);
}
