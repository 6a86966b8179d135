// How steps and values are written.
import type { RunLines, RunStep, StoredKey, World } from '../engine/types';
import type { Say } from './texts';

export const faultsIn = (n: number, say: Say) => (n === 0 ? say('faults.none') : say('faults', { n }));

// The token `il1:A1` is the first of client A.
export const shortened = (text: string) => text.replace(/il1:([A-Z])(\d+)/g, '$1#$2');

const isChinese = (text: string) => /\p{Script=Han}/u.test(text);

// A summary marks words as `*words*`.
export const sentence = (text: string) => {
  const plain = text.replace(/\*([^*]+)\*/g, '$1');
  return `${plain.charAt(0).toUpperCase()}${plain.slice(1)}${isChinese(plain) ? '。' : '.'}`;
};

// A client that wakes is no longer asleep.
export const whatOf = ({ kind, what, delivered }: RunStep) =>
  kind === 'wake' && what === 'sleep' && delivered ? 'wakes up' : what;

// Only time ends a key by itself: it passes, or the server's clock is set forward.
export const expires = ({ kind, fault, client }: RunStep) =>
  kind === 'time' || (fault === 'clock-jump' && client === undefined);

export const stepsOf = (run: RunLines) => run.slice(1) as RunStep[];

export const worldAfter = (run: RunLines, step: number): World => {
  const line = run[step];
  return line && line.event === 'step' ? line.after : run[0].before;
};

export const replyOf = (step: RunStep) =>
  shortened(step.reply ?? '').replace(/^"(.*)"$/, '$1');

// `renewed`: the value is the same, and it lasts longer.
export type Change = 'new' | 'changed' | 'renewed' | 'gone' | 'same';

export interface StoreRow extends StoredKey {
  change: Change;
  before?: string;
}

export const identity = (key: StoredKey) => `${key.server} ${key.key}`;

// `passed`: how much time did between the two, in ms.
function changeOf(was: StoredKey, is: StoredKey, passed: number): Change {
  if (was.value !== is.value) return 'changed';
  if (was.remaining_ms === undefined) return is.remaining_ms === undefined ? 'same' : 'changed';
  if (is.remaining_ms === undefined) return 'changed';
  const expected = Math.max(was.remaining_ms - passed, 0);
  if (is.remaining_ms === expected) return 'same';
  return is.remaining_ms > expected ? 'renewed' : 'changed';
}

export function storeRows(before: World, after: World): StoreRow[] {
  const old = new Map(before.keys.map((key) => [identity(key), key]));
  const now = new Set(after.keys.map(identity));
  const rows = after.keys.map((key): StoreRow => {
    const was = old.get(identity(key));
    if (!was) return { ...key, change: 'new' };
    const change = changeOf(was, key, after.time_ms - before.time_ms);
    return was.value === key.value ? { ...key, change } : { ...key, change, before: was.value };
  });
  const gone = before.keys
    .filter((key) => !now.has(identity(key)))
    .map((key): StoreRow => ({ ...key, change: 'gone' }));
  // By server; the keys of one stay in their order.
  return [...rows, ...gone].sort((one, other) => one.server - other.server);
}

export const changesOf = (run: RunLines, step: number) =>
  storeRows(worldAfter(run, Math.max(step - 1, 0)), worldAfter(run, step)).filter(
    ({ change }) => change !== 'same',
  );

export const lasting = (ms: number) => (ms % 1000 === 0 ? `${ms / 1000} s` : `${ms} ms`);

// The steps that repeat for ever, if any do. A run after which nothing can happen has a loop, too,
// without a step in it.
export function loopOf(run: RunLines): { from: number; to: number } | null {
  const { loop, steps } = run[0];
  return loop !== undefined && loop <= steps ? { from: loop, to: steps } : null;
}

export function serversOf(run: RunLines): number {
  let last = 0;
  for (const line of run) {
    const world = line.event === 'run' ? line.before : line.after;
    if (line.event === 'step') last = Math.max(last, line.server);
    for (const key of world.keys) last = Math.max(last, key.server);
  }
  return last + 1;
}

export function keysOf(run: RunLines): number {
  const names = new Set<string>();
  for (const line of run) {
    const world = line.event === 'run' ? line.before : line.after;
    for (const { key } of world.keys) names.add(key);
  }
  return names.size;
}

export const clockOf = (run: RunLines, world: World) => {
  const start = run[0].clocks_start_at_ms;
  return start === undefined ? `+${world.time_ms} ms` : `${(start + world.time_ms) / 1000}`;
};
