// A run that `interlock explore --format json` has written: one JSON object on each line.
import type { RunHead, RunLines, RunStep } from '../engine/types';

// What is wrong with a file, and where. Line 0: with the whole file.
export class NoRun extends Error {
  constructor(
    readonly what: 'no-json' | 'no-run' | 'no-step',
    readonly line: number,
  ) {
    super(`${what} in line ${line}`);
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isWorld = (value: unknown) =>
  isObject(value) &&
  [value.keys, value.clients, value.resources].every((list) => Array.isArray(list) && list.every(isObject));

const isHead = (line: unknown) =>
  isObject(line) &&
  line.event === 'run' &&
  typeof line.scenario === 'string' &&
  Array.isArray(line.clients) &&
  line.clients.every((name) => typeof name === 'string') &&
  isWorld(line.before);

const isStep = (line: unknown, number: number) =>
  isObject(line) &&
  line.event === 'step' &&
  line.step === number &&
  typeof line.kind === 'string' &&
  typeof line.what === 'string' &&
  typeof line.server === 'number' &&
  isWorld(line.after);

function parse(text: string, line: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new NoRun('no-json', line);
  }
}

// Lines of other events, the verdict's among them, are passed over: later versions may add some.
export function readRun(text: string): RunLines {
  let run: RunLines | undefined;
  text.split('\n').forEach((words, at) => {
    if (words.trim() === '') return;
    const line = parse(words, at + 1);
    const event = isObject(line) ? line.event : undefined;
    if (event === 'run') {
      if (run || !isHead(line)) throw new NoRun('no-run', at + 1);
      run = [line as unknown as RunHead];
    } else if (event === 'step') {
      if (!run || !isStep(line, run.length)) throw new NoRun('no-step', at + 1);
      run.push(line as unknown as RunStep);
    } else if (event === undefined) {
      throw new NoRun('no-run', at + 1);
    }
  });
  if (!run) throw new NoRun('no-run', 0);
  return run;
}
