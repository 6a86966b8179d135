// How steps and values are written.
import type { RunLines, RunStep, StoredKey, World } from '../engine/types';

// The token `il1:A1` is the first of client A.
export const shortened = (text: string) => text.replace(/il1:([A-Z])(\d+)/g, '$1#$2');

const isChinese = (text: string) => /\p{Script=Han}/u.test(text);

// A summary marks words as `*words*`.
export const sentence = (text: string) => {
  const plain = text.replace(/\*([^*]+)\*/g, '$1');
  return `${plain.charAt(0).toUpperCase()}${plain.slice(1)}${isChinese(plain) ? '。' : '.'}`;
};

export const stepsOf = (run: RunLines) => run.slice(1) as RunStep[];

export const worldAfter = (run: RunLines, step: number): World => {
  const line = run[step];
  return line && line.event === 'step' ? line.after : run[0].before;
};

export const replyOf = (step: RunStep) =>
  shortened(step.reply ?? '').replace(/^"(.*)"$/, '$1');

export type Change = 'new' | 'changed' | 'gone' | 'same';

export interface StoreRow extends StoredKey {
  change: Change;
  before?: string;
}

const identity = (key: StoredKey) => `${key.server} ${key.key}`;

export function storeRows(before: World, after: World): StoreRow[] {
  const old = new Map(before.keys.map((key) => [identity(key), key]));
  const now = new Set(after.keys.map(identity));
  const rows = after.keys.map((key): StoreRow => {
    const was = old.get(identity(key));
    if (!was) return { ...key, change: 'new' };
    if (was.value === key.value) return { ...key, change: 'same' };
    return { ...key, change: 'changed', before: was.value };
  });
  const gone = before.keys
    .filter((key) => !now.has(identity(key)))
    .map((key): StoreRow => ({ ...key, change: 'gone' }));
  return [...rows, ...gone];
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
