// What the numbers in the store mean, as far as values of this kind are there.
import type { Scenario, World } from '../engine/types';
import { useSay, type TextName } from '../state/texts';

// Clocks show 100 at the beginning; an older stamp is one that was left behind.
const isStamp = (value: string) => /^\d{2,3}(:|$)/.test(value);
const stampLocks = /stamp|del-setnx|getset|bill|script-lock|setnx-expire/;

// Which notes belong to a store: a token, an instant at which a lock ends, a fencing counter.
export function notesFor(world: World, scenario: Scenario | undefined): TextName[] {
  const notes: TextName[] = [];
  const values = world.keys.map(({ value }) => value);
  if (values.some((value) => /il1:[A-Z]\d/.test(value))) notes.push('note.token');
  const hasStamps = stampLocks.test(scenario?.protocol ?? '');
  const isLock = (key: string) => key.startsWith('lock');
  if (hasStamps && world.keys.some(({ key, value }) => isLock(key) && isStamp(value))) {
    notes.push('note.stamp');
  }
  if (world.keys.some(({ key }) => /:fence$/.test(key))) notes.push('note.fence');
  if (world.resources.some(({ greatest_token }) => greatest_token)) notes.push('note.resource');
  return notes;
}

export function ValueNotes({ world, scenario }: { world: World; scenario: Scenario | undefined }) {
  const say = useSay();
  return (
    <>
      {notesFor(world, scenario).map((note) => (
        <p key={note} class="small">
          {say(note)}
        </p>
      ))}
    </>
  );
}
