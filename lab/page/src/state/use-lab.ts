// The open game, its address and what the page announces. Every change of the game goes through here.
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Engine } from '../engine/engine';
import type { GameState } from '../engine/types';
import { readAddress, writeAddress } from './address';

export interface Lab {
  game: GameState | null;
  repairOf: string;
  shown: number;
  error: string;
  show(step: number): void;
  play(key: string): GameState | null;
  undo(): void;
  restart(): void;
  open(short: string, repairOf?: string, step?: number): GameState | null;
  leave(): void;
}

const stepsOf = (game: GameState) => game.run.length - 1;

export function useLab(engine: Engine): Lab {
  const [game, setGame] = useState<GameState | null>(null);
  const [repairOf, setRepairOf] = useState('');
  const [shown, show] = useState(0);
  const [error, setError] = useState('');
  const current = useRef({ short: '', repairOf: '' });

  const accept = useCallback((next: GameState, of: string, step?: number) => {
    current.current = { short: next.short, repairOf: of };
    setGame(next);
    setRepairOf(of);
    show(step ?? stepsOf(next));
    setError('');
    const hash = writeAddress(current.current);
    if (location.hash !== hash) location.hash = hash;
  }, []);

  const change = useCallback(
    (act: () => GameState, of: string, step?: number): GameState | null => {
      try {
        const next = act();
        accept(next, of, step);
        return next;
      } catch (problem) {
        setError(problem instanceof Error ? problem.message : String(problem));
        return null;
      }
    },
    [accept],
  );

  useEffect(() => {
    const follow = () => {
      const address = readAddress(location.hash);
      if (!address) {
        current.current = { short: '', repairOf: '' };
        setGame(null);
        setError('');
        return;
      }
      const { short, repairOf: of } = current.current;
      if (address.short === short && address.repairOf === of) return;
      change(() => engine.open(address.short), address.repairOf);
    };
    follow();
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, [engine, change]);

  return useMemo(
    () => ({
      game,
      repairOf,
      shown,
      error,
      show,
      play: (key) => change(() => engine.play(key), repairOf),
      undo: () => void change(() => engine.undo(), repairOf),
      restart: () => void change(() => engine.restart(), repairOf),
      open: (short, of = '', step) => change(() => engine.open(short), of, step),
      leave: () => void (location.hash = ''),
    }),
    [engine, change, game, repairOf, shown, error],
  );
}
