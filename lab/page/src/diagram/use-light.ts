// Which steps are lit in the diagram and where a text speaks of them.
import { useMemo, useState } from 'preact/hooks';

// Null: none.
export type Lit = { from: number; to: number } | null;

export interface Light {
  lit: Lit;
  on(steps: NonNullable<Lit>): void;
  // What the mouse leaves goes out, unless something else has been lit since.
  off(steps: NonNullable<Lit>): void;
}

export const darkness: Light = { lit: null, on: () => {}, off: () => {} };

export const isLit = (step: number, lit: Lit) => lit !== null && step >= lit.from && step <= lit.to;

export function useLight(): Light {
  const [lit, setLit] = useState<Lit>(null);
  return useMemo(
    () => ({
      lit,
      on: setLit,
      off: ({ from, to }) => setLit((now) => (now?.from === from && now.to === to ? null : now)),
    }),
    [lit],
  );
}

// For an element that stands for steps.
export const lights = (light: Light, steps: NonNullable<Lit>) => ({
  onMouseEnter: () => light.on(steps),
  onMouseLeave: () => light.off(steps),
  onFocus: () => light.on(steps),
  onBlur: () => light.off(steps),
});
