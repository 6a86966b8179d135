// Which scenarios are lessons, and in which order they stand.
import type { Family, Scenario } from '../engine/types';

export const families: Family[] = ['locks', 'setnx', 'ttl', 'waiting', 'replication'];

// Where to begin, for all who have broken no lock yet.
export const firstLesson = 'del-setnx-lock';

// A change that repairs too little is met in the lesson that it belongs to.
const isLesson = (scenario: Scenario) =>
  scenario.outcome === 'violated' && !scenario.slow && scenario.repairs_what === '';

// A fault is one more choice at each step.
const effort = (scenario: Scenario) => scenario.steps + 2 * scenario.faults;
const place = (scenario: Scenario) => (scenario.name === firstLesson ? 0 : effort(scenario));

export function difficulty(scenario: Scenario): 1 | 2 | 3 {
  const score = effort(scenario);
  return score <= 5 ? 1 : score <= 8 ? 2 : 3;
}

export const lessonsOf = (scenarios: Scenario[]) => scenarios.filter(isLesson);

export function lessonsByFamily(scenarios: Scenario[]): [Family, Scenario[]][] {
  const lessons = lessonsOf(scenarios);
  return families.map((family) => [
    family,
    lessons
      .filter((lesson) => lesson.family === family)
      .sort((one, other) => place(one) - place(other)),
  ]);
}

// The next one that is not broken yet, in the order of the map.
export function lessonAfter(scenarios: Scenario[], name: string, broken: string[]): Scenario | undefined {
  const all = lessonsByFamily(scenarios).flatMap(([, lessons]) => lessons);
  const at = all.findIndex((lesson) => lesson.name === name);
  return [...all.slice(at + 1), ...all.slice(0, at)].find((lesson) => !broken.includes(lesson.name));
}
