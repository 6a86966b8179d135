// The keys that end by themselves, each as a bar that gets thinner until its end.
import type { RunLines, World } from '../engine/types';
import { identity, stepsOf, worldAfter } from '../state/run-words';

export interface LeaseBar {
  id: string;
  key: string;
  server: number;
  column: number; // beside the other bars of its server
  most: number; // the longest that it has had left, in ms
}

const columnsMost = 4;

export const remainingIn = (world: World, bar: LeaseBar) =>
  world.keys.find((key) => identity(key) === bar.id)?.remaining_ms;

export function leaseBars(run: RunLines): LeaseBar[] {
  const bars = new Map<string, LeaseBar>();
  for (let step = 0; step <= stepsOf(run).length; step += 1) {
    for (const key of worldAfter(run, step).keys) {
      if (key.remaining_ms === undefined) continue;
      const id = identity(key);
      const bar = bars.get(id);
      if (bar) bar.most = Math.max(bar.most, key.remaining_ms);
      else bars.set(id, { id, key: key.key, server: key.server, column: 0, most: key.remaining_ms });
    }
  }
  return inColumns([...bars.values()]);
}

// What ends first stands first: a counter that is kept for days is the last.
function inColumns(bars: LeaseBar[]): LeaseBar[] {
  const used = new Map<number, number>();
  return bars
    .sort((one, other) => one.most - other.most)
    .map((bar) => {
      const column = used.get(bar.server) ?? 0;
      used.set(bar.server, column + 1);
      return { ...bar, column };
    })
    .filter(({ column }) => column < columnsMost);
}

// The client whose token is the value: `il1:A1` is of A.
export const ownerIn = (world: World, bar: LeaseBar) =>
  /^il1:([A-Z])\d/.exec(world.keys.find((key) => identity(key) === bar.id)?.value ?? '')?.[1];
