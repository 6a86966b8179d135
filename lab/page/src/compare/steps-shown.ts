import type { ComparedRow } from '../engine/types';

// Where both runs are after a row: the last step of each up to there; 0: before its first.
export function stepsShown(rows: ComparedRow[], row: number): [number, number] {
  let one = 0;
  let other = 0;
  for (const at of rows.slice(0, row + 1)) {
    one = at.one ?? one;
    other = at.other ?? other;
  }
  return [one, other];
}
