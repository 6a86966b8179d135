// Draws the bars: as wide as the time that a key has left, and a stroke where it ends by itself.
import type { RunLines } from '../engine/types';
import { stepsOf, worldAfter } from '../state/run-words';
import { changeAt, type Layout, type Row } from './layout';
import { ownerIn, remainingIn, type LeaseBar } from './lease-bars';

const widest = 8;
const narrowest = 1.5;

interface Props {
  run: RunLines;
  layout: Layout;
}

export function LeaseLanes({ run, layout }: Props) {
  return (
    <>
      {layout.bars.map((bar) =>
        layout.rows.map((row) => <Piece key={`${bar.id} ${row.step}`} run={run} bar={bar} row={row} x={layout.barAt(bar)} />),
      )}
    </>
  );
}

function Piece({ run, bar, row, x }: { run: RunLines; bar: LeaseBar; row: Row; x: number }) {
  const before = worldAfter(run, Math.max(row.step - 1, 0));
  const after = worldAfter(run, row.step);
  const [was, is] = [remainingIn(before, bar), remainingIn(after, bar)];
  const wide = (left: number) => Math.max((left / bar.most) * widest, narrowest);
  const colour = (world: typeof before) => {
    const client = run[0].clients.indexOf(ownerIn(world, bar) ?? '');
    return client < 0 ? 'lease' : `lease client-${client}`;
  };
  const bottom = row.top + row.height;
  if (stepsOf(run)[row.step - 1]?.kind === 'time' && was !== undefined) {
    const end = is === undefined ? 0 : wide(is);
    return (
      <>
        <path class={colour(before)} d={`M${x} ${row.top}h${wide(was)}L${x + end} ${bottom}H${x}z`} />
        {is === undefined && <path class="lease-end" d={`M${x - 3} ${bottom - 2}h${widest + 6}`} />}
      </>
    );
  }
  const middle = row.step === 0 ? row.top : changeAt(row);
  return (
    <>
      {was !== undefined && row.step > 0 && <rect class={colour(before)} x={x} y={row.top} width={wide(was)} height={middle - row.top} />}
      {is !== undefined && <rect class={colour(after)} x={x} y={middle} width={wide(is)} height={bottom - middle} />}
    </>
  );
}

// What is left of the lease that ends first; with its key, if there are several.
export function timeLeft(run: RunLines, layout: Layout, step: number): { key: string; ms: number } | null {
  const world = worldAfter(run, step);
  for (const bar of layout.bars) {
    const ms = remainingIn(world, bar);
    if (ms !== undefined) return { key: layout.bars.length > 1 ? bar.key : '', ms };
  }
  return null;
}
