// Which lessons are broken, and which are repaired.
import { useCallback, useEffect, useState } from 'preact/hooks';
import { onRemembered, remember, remembered } from './storage';

export interface Progress {
  broken: string[];
  repaired: string[];
}

const isList = (list: unknown) =>
  Array.isArray(list) && list.every((lesson) => typeof lesson === 'string');

const isProgress = (found: unknown): found is Progress =>
  typeof found === 'object' &&
  found !== null &&
  'broken' in found &&
  isList(found.broken) &&
  'repaired' in found &&
  isList(found.repaired);

const nothing: Progress = { broken: [], repaired: [] };
const stored = () => remembered('progress', isProgress, nothing);
const together = (one: string[], other: string[]) => [...new Set([...one, ...other])];
// Another tab may have solved something meanwhile.
const joined = (one: Progress, other: Progress): Progress => ({
  broken: together(one.broken, other.broken),
  repaired: together(one.repaired, other.repaired),
});

export function useProgress() {
  const [progress, setProgress] = useState<Progress>(stored);
  const add = useCallback((list: keyof Progress, lesson: string) => {
    setProgress((before) => {
      if (before[list].includes(lesson)) return before;
      const after = joined(before, stored());
      after[list] = together(after[list], [lesson]);
      remember('progress', after);
      return after;
    });
  }, []);
  useEffect(
    () => onRemembered('progress', () => setProgress((before) => joined(before, stored()))),
    [],
  );
  return { progress, add };
}
