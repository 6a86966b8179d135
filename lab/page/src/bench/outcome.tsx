// The end of a run: the lock is broken, or nobody can move.
import type { GameState, Scenario } from '../engine/types';
import { faultsIn, stepsOf, worldAfter } from '../state/run-words';
import { useSay, useTranslate, type Say } from '../state/texts';

interface Props {
  game: GameState;
  scenario: Scenario | undefined;
  // Whether the player made this run.
  own: boolean;
  onRepair: (() => void) | undefined;
}

export function Outcome({ game, scenario, own, onRepair }: Props) {
  const say = useSay();
  const translate = useTranslate();
  const n = stepsOf(game.run).length;
  const { violating_step: step, violates: what } = game.run[0];
  if (game.standing === 'over') return <p class="outcome">{say('over')}</p>;
  const comparable = own && scenario && game.options.length === 0;
  return (
    <div class="outcome outcome-won">
      <h2>
        <span aria-hidden="true">✗ </span>
        {say('won')}
      </h2>
      <p>{comparable ? compared(game, scenario, say) : say('won.run', { n })}</p>
      {what && <p>{say('won.violates', { step: step ?? n, what: translate(what) })}</p>}
      {onRepair && (
        <button type="button" class="primary" aria-keyshortcuts="r" onClick={onRepair}>
          {say('won.repair')} <kbd>r</kbd>
        </button>
      )}
    </div>
  );
}

// The run that a search finds has the fewest faults, and among those the fewest steps: one with more faults
// may be shorter.
function compared(game: GameState, { steps: best, faults }: Scenario, say: Say): string {
  const n = stepsOf(game.run).length;
  const used = worldAfter(game.run, n).faults;
  if (used > faults) {
    return say('won.faulty', { n, best, used: faultsIn(used, say), least: faultsIn(faults, say) });
  }
  if (n <= best && faults === 0) return say('won.shortest', { n });
  return n <= best ? say('won.best', { n }) : say('won.longer', { n, best });
}
