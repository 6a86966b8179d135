// Whether a run from a file is what its lock does: a run of a lesson is replayed, and compared.
import { EngineError, type Engine } from '../engine/engine';
import type { GameState, RunLines } from '../engine/types';
import { isFields } from './checks';
import { NoRun, type RunFile } from './read-run';

export interface CheckedFile extends RunFile {
  // The replay of the run; null: its clients are not on this page, or the file has no run.
  replayed: GameState | null;
}

// What a step or a world may leave out, and what says nothing about the run.
const optional = ['loop', 'violates', 'violating_step', 'clocks_start_at_ms', 'client', 'task', 'fault', 'reply']
  .concat(['note', 'remaining_ms', 'greatest_token', 'last_writer']);
const besides = ['v', 'replay'];

interface Contradiction {
  place: string;
  said: unknown;
  done: unknown;
}

// The first value that is another one. What a later version of the program adds is passed over.
function contradictionIn(said: unknown, done: unknown, place = ''): Contradiction | null {
  const below = (key: string | number) => (place === '' ? String(key) : `${place}.${key}`);
  if (Array.isArray(said) && Array.isArray(done) && said.length === done.length) {
    return firstOf(done.map((value, at) => () => contradictionIn(said[at], value, below(at + 1))));
  }
  if (isFields(said) && isFields(done)) {
    const names = [...Object.keys(done), ...optional.filter((name) => name in said && !(name in done))];
    const compared = names.filter((name) => !besides.includes(name));
    return firstOf(compared.map((name) => () => contradictionIn(said[name], done[name], below(name))));
  }
  return said === done ? null : { place, said, done };
}

function firstOf(all: (() => Contradiction | null)[]): Contradiction | null {
  for (const find of all) {
    const found = find();
    if (found) return found;
  }
  return null;
}

const shown = (value: unknown) => {
  const text = JSON.stringify(value) ?? '—';
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
};

function replayOf(engine: Engine, short: string): GameState {
  try {
    return engine.open(short);
  } catch (error) {
    if (error instanceof EngineError) throw new NoRun('no-replay', 1, { run: short, why: error.message });
    throw error;
  }
}

function compare(run: RunLines, { run: done, short }: GameState) {
  const lines = Math.max(run.length, done.length);
  for (let at = 0; at < lines; at += 1) {
    const wrong = contradictionIn(run[at], done[at]);
    if (!wrong) continue;
    const { place } = wrong;
    throw new NoRun('contradicts', at + 1, { run: short, place, said: shown(wrong.said), done: shown(wrong.done) });
  }
}

const nameIn = (short: string | undefined) => short?.split(/[,:]/, 1)[0] ?? '';

// Opens the run of a lesson in the engine. NoRun: the file contradicts the lesson whose name it has.
export function checkedRun(engine: Engine, file: RunFile): CheckedFile {
  const head = file.run?.[0];
  if (!file.run || !head) return { ...file, replayed: null };
  const lessons = new Set(engine.scenarios().map(({ name }) => name));
  const isOfLesson = lessons.has(head.scenario) || lessons.has(nameIn(head.replay));
  if (!isOfLesson) return { ...file, replayed: null };
  if (head.replay === undefined) throw new NoRun('no-short-form', 1, { run: head.scenario });
  const replayed = replayOf(engine, head.replay);
  compare(file.run, replayed);
  return { ...file, replayed };
}
