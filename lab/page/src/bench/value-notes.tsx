// What the numbers in the store mean, as far as values of this kind are there.
import type { RunLines, Scenario, StoredKey, World } from '../engine/types';
import { useSay, type Say } from '../state/texts';

const stampLocks = /stamp|del-setnx|getset|bill|script-lock|setnx-expire/;
const isLock = (key: string) => key.startsWith('lock');

// The instant that a lock's value names as its end.
export interface Stamp {
  at: number;
  isPast: boolean;
}

const clock = (run: RunLines, world: World) => ((run[0].clocks_start_at_ms ?? 0) + world.time_ms) / 1000;

// Clocks show 100 at the beginning; an older stamp is one that was left behind.
export function stampIn({ key, value }: StoredKey, run: RunLines, world: World, scenario: Scenario | undefined): Stamp | null {
  const stamp = /^(\d{2,3})(:|$)/.exec(value);
  if (!stamp || !isLock(key) || !stampLocks.test(scenario?.protocol ?? '')) return null;
  const at = Number(stamp[1]);
  return { at, isPast: at < clock(run, world) };
}

// Which notes belong to a store: a token, an instant at which a lock ends, a fencing counter.
function notesFor(run: RunLines, world: World, scenario: Scenario | undefined, say: Say): string[] {
  const notes: string[] = [];
  if (world.keys.some(({ value }) => /il1:[A-Z]\d/.test(value))) notes.push(say('note.token'));
  const stamps = world.keys.flatMap((key) => stampIn(key, run, world, scenario) ?? []);
  if (stamps.length > 0) notes.push(say('note.stamp'));
  const past = stamps.find(({ isPast }) => isPast);
  if (past) notes.push(say('note.stamp.past', { at: past.at, now: clock(run, world) }));
  if (world.keys.some(({ key }) => /:fence$/.test(key))) notes.push(say('note.fence'));
  if (world.resources.some(({ greatest_token }) => greatest_token)) notes.push(say('note.resource'));
  return notes;
}

interface Props {
  run: RunLines;
  world: World;
  scenario: Scenario | undefined;
}

export function ValueNotes({ run, world, scenario }: Props) {
  const say = useSay();
  return (
    <>
      {notesFor(run, world, scenario, say).map((note) => (
        <p key={note} class="small">
          {note}
        </p>
      ))}
    </>
  );
}
