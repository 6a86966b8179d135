// A run without an end: the steps that repeat, and why that breaks the lock.
import type { RunLines } from '../engine/types';
import { loopOf, worldAfter } from '../state/run-words';
import { useSay } from '../state/texts';

export function LoopSign({ from, to }: { from: number; to: number }) {
  return (
    <g class="loop">
      <path d={`M14 ${to - 8}H4V${from + 8}H14M10 ${from + 4}l4 4l-4 4`} />
      <text x="6" y={from - 1}>
        ∞
      </text>
    </g>
  );
}

// Who waits for something at every moment of the loop.
function waiting(run: RunLines, from: number, to: number): string[] {
  return run[0].clients.filter((_, client) => {
    for (let step = from - 1; step <= to; step += 1) {
      if (!worldAfter(run, step).clients[client]?.wants?.length) return false;
    }
    return true;
  });
}

export function LoopNote({ run }: { run: RunLines }) {
  const say = useSay();
  const loop = loopOf(run);
  if (!loop) {
    return run[0].loop === undefined ? null : <p class="diagram-note">{say('diagram.stuck')}</p>;
  }
  const who = waiting(run, loop.from, loop.to);
  return (
    <p class="diagram-note loop-note">
      <span aria-hidden="true">∞ </span>
      {say('diagram.repeats', loop)}
      {who.length > 0 && say('gap') + say('diagram.waits', { n: who.length, who: who.join(say('list.comma')) })}
    </p>
  );
}
