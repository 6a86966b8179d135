// Which lessons are broken, and which are repaired.
import { useCallback, useState } from 'preact/hooks';
import { remember, remembered } from './storage';

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

export function useProgress() {
  const [progress, setProgress] = useState<Progress>(() =>
    remembered('progress', isProgress, { broken: [], repaired: [] }),
  );
  const add = useCallback((list: keyof Progress, lesson: string) => {
    setProgress((before) => {
      if (before[list].includes(lesson)) return before;
      const after = { ...before, [list]: [...before[list], lesson] };
      remember('progress', after);
      return after;
    });
  }, []);
  return { progress, add };
}
