// One search at a time, with its progress. What it is about stands beside it, so that its outcome is
// not taken for that of something else.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { BrokenOff, Cancelled, type Searcher } from '../engine/searcher';
import type { Found, SearchProgress } from '../engine/types';

// `of` is the run without a step in which the scenario has the bounds of the search.
export type SearchPhase =
  | { is: 'idle'; of: '' }
  | { is: 'running'; of: string; progress: SearchProgress | null }
  | { is: 'cancelled'; of: string }
  | { is: 'refused'; of: string; why: string }
  | { is: 'broken-off'; of: string; why: string }
  | { is: 'done'; of: string; found: Found };

export interface Ended {
  found: Found;
  // Whether the page still shows what it showed when the search began.
  stayed: boolean;
}

function ended(of: string, error: unknown): SearchPhase {
  if (error instanceof Cancelled) return { is: 'cancelled', of };
  const why = error instanceof Error ? error.message : String(error);
  return { is: error instanceof BrokenOff ? 'broken-off' : 'refused', of, why };
}

export function useSearch(searcher: Searcher) {
  const [phase, setPhase] = useState<SearchPhase>({ is: 'idle', of: '' });
  const mounted = useRef(true);
  const turns = useRef(0);
  useEffect(() => () => void (mounted.current = false), []);

  const search = useCallback(
    async (of: string): Promise<Ended | null> => {
      const place = location.hash;
      const turn = (turns.current += 1);
      const tell = (next: SearchPhase) => {
        if (turn === turns.current) setPhase(next);
      };
      tell({ is: 'running', of, progress: null });
      try {
        const found = await searcher.explore(of, (progress) => tell({ is: 'running', of, progress }));
        tell({ is: 'done', of, found });
        return { found, stayed: mounted.current && location.hash === place };
      } catch (error) {
        tell(ended(of, error));
        return null;
      }
    },
    [searcher],
  );
  const reset = useCallback(() => setPhase({ is: 'idle', of: '' }), []);
  return { phase, search, reset, cancel: () => void searcher.cancel() };
}
