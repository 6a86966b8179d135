// What the search said about the repairs of each lesson, and the run from which they were chosen.
import type { Found } from '../engine/types';

interface Seen {
  from: string;
  found: Map<string, Found>;
}

const lessons = new Map<string, Seen>();

export function repairSeen(lesson: string): Seen {
  const seen = lessons.get(lesson) ?? { from: '', found: new Map<string, Found>() };
  lessons.set(lesson, seen);
  return seen;
}
