// Which lessons are broken, and which are repaired.
import { useCallback, useState } from 'preact/hooks';
import { remember, remembered } from './storage';

export interface Progress {
  broken: string[];
  repaired: string[];
}

export function useProgress() {
  const [progress, setProgress] = useState<Progress>(() =>
    remembered('progress', { broken: [], repaired: [] }),
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
