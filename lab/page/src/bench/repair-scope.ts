// What a repair's verdict is about, compared with its lesson: a proof of something else, or within
// other bounds, must not look like a proof of the lesson's own goal.
import type { Found } from '../engine/types';

// These follow from what a program reads and how long it waits.
const isOfPrograms = (part: string) => /^(clocks start at|nothing longer than|keys of more than) /.test(part);

// `1 client + 1 client` and `2 identical clients` are as many.
function clientsAsCount(part: string): string {
  const counts = [...part.matchAll(/(\d+) (?:identical )?clients?\b/g)].map(([, count]) => Number(count));
  const count = counts.reduce((one, other) => one + other, 0);
  return count > 1 ? `${count} clients` : part;
}

// Commas inside of parentheses divide nothing.
const partsOf = (bounds: string) =>
  bounds
    .split(/, (?![^(]*\))/)
    .map(clientsAsCount)
    .filter((part) => !isOfPrograms(part));

// The parts of both bounds that the other one does not have; null: they are the same.
export function boundsThatDiffer(lesson: string, repair: string): { lesson: string[]; repair: string[] } | null {
  const [one, other] = [partsOf(lesson), partsOf(repair)];
  const differ = {
    lesson: one.filter((part) => !other.includes(part)),
    repair: other.filter((part) => !one.includes(part)),
  };
  return differ.lesson.length + differ.repair.length > 0 ? differ : null;
}

// The changed lock may have another name: `mutual exclusion of deploy` answers `mutual exclusion of lock.foo`.
export const withoutSubject = (property: string) =>
  property.replace(/^(mutual exclusion|exclusion within leases) of .*$/s, '$1');

export const isLookedFor = (property: string, { properties }: Pick<Found, 'properties'>) =>
  properties.some(({ name }) => withoutSubject(name) === withoutSubject(property));
