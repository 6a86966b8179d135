// One search at a time, with its progress.
import { useCallback, useState } from 'preact/hooks';
import { Cancelled, type Searcher } from '../engine/searcher';
import type { Found, SearchProgress } from '../engine/types';

export type SearchPhase =
  | { is: 'idle' }
  | { is: 'running'; progress: SearchProgress | null }
  | { is: 'cancelled' }
  | { is: 'failed'; why: string }
  | { is: 'done'; found: Found };

export function useSearch(searcher: Searcher) {
  const [phase, setPhase] = useState<SearchPhase>({ is: 'idle' });
  const search = useCallback(
    async (short: string): Promise<Found | null> => {
      setPhase({ is: 'running', progress: null });
      try {
        const found = await searcher.explore(short, (progress) =>
          setPhase({ is: 'running', progress }),
        );
        setPhase({ is: 'done', found });
        return found;
      } catch (error) {
        if (error instanceof Cancelled) setPhase({ is: 'cancelled' });
        else setPhase({ is: 'failed', why: error instanceof Error ? error.message : String(error) });
        return null;
      }
    },
    [searcher],
  );
  const reset = useCallback(() => setPhase({ is: 'idle' }), []);
  return { phase, search, reset, cancel: () => searcher.cancel() };
}
