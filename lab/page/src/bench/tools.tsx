import { faultsIn } from '../state/run-words';
import { useSay } from '../state/texts';

interface Props {
  steps: number;
  // The lesson's shortest run with the fewest faults.
  best: { steps: number; faults: number } | undefined;
  over: boolean;
  // Whether a move begins with `u`.
  undoIsTaken: boolean;
  onUndo(): void;
  onRestart(): void;
  onHint(): void;
}

// A button that does nothing now keeps the focus: it is not `disabled`.
export function Tools({ steps, best, over, undoIsTaken, onUndo, onRestart, onHint }: Props) {
  const say = useSay();
  const length = best
    ? say('length', { n: steps, best: best.steps, least: faultsIn(best.faults, say) })
    : say('length.plain', { n: steps });
  return (
    <div class="tools">
      <div class="tools-buttons" role="group" aria-label={say('moves')}>
        <button type="button" onClick={() => steps > 0 && onUndo()} aria-disabled={steps === 0} aria-keyshortcuts={undoIsTaken ? 'Backspace' : 'u Backspace'}>
          {say('undo')} <kbd>{undoIsTaken ? '⌫' : 'u'}</kbd>
        </button>
        <button type="button" onClick={() => steps > 0 && onRestart()} aria-disabled={steps === 0}>
          {say('restart')}
        </button>
        <button type="button" onClick={() => !over && onHint()} aria-disabled={over} aria-keyshortcuts="h">
          {say('hint')} <kbd>h</kbd>
        </button>
      </div>
      <span class="length">{length}</span>
    </div>
  );
}
