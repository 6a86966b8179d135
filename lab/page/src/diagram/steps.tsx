// The steps as buttons over their drawings.
import type { RunLines } from '../engine/types';
import { stepsOf } from '../state/run-words';
import { useSay } from '../state/texts';
import type { Layout } from './layout';
import { useStepLabel } from './step-label';
import { isLit, lights, type Light, type Lit } from './use-light';

interface Props {
  run: RunLines;
  layout: Layout;
  shown: number;
  light: Light;
  onShow(step: number): void;
}

export function Steps({ run, layout, shown, light, onShow }: Props) {
  const say = useSay();
  const labelOf = useStepLabel();
  const labels = [say('slider.start'), ...stepsOf(run).map((step) => labelOf(step, run))];
  const percent = (units: number) => `${(units / layout.height) * 100}%`;
  return (
    <div class="steps" role="group" aria-label={say('diagram')}>
      {layout.rows.map(({ step, top, height }) => (
        <button
          key={step}
          type="button"
          class={stepClass(step, shown, run[0].violating_step ?? 0, light.lit)}
          data-step={step}
          tabIndex={step === shown ? 0 : -1}
          aria-pressed={step === shown}
          style={{ top: percent(top), height: percent(height) }}
          onClick={() => onShow(step)}
          {...lights(light, { from: step, to: step })}
        >
          <span class="unseen">{labels[step]}</span>
        </button>
      ))}
    </div>
  );
}

function stepClass(step: number, shown: number, violating: number, lit: Lit): string {
  const names = ['step'];
  if (step === shown) names.push('shown');
  if (step > 0 && step === violating) names.push('violating');
  if (isLit(step, lit)) names.push('lit');
  return names.join(' ');
}
