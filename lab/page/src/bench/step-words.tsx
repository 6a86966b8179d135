// The step that is shown, whole and in words: the diagram cuts what does not fit.
import { useStepLabel } from '../diagram/step-label';
import type { RunLines } from '../engine/types';
import { stepsOf } from '../state/run-words';
import { Whole } from '../whole';

export function StepWords({ run, shown }: { run: RunLines; shown: number }) {
  const labelOf = useStepLabel();
  const step = stepsOf(run)[shown - 1];
  return step ? <p class="step-words"><Whole text={labelOf(step, run)} /></p> : null;
}
