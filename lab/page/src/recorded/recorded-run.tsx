// A run from a file. It can be looked at, not played: its clients may be programs that are not here.
import { useState } from 'preact/hooks';
import { StepSlider } from '../bench/step-slider';
import { StorePanel } from '../bench/store-panel';
import { Diagram } from '../diagram/diagram';
import type { RunLines } from '../engine/types';
import { shortened, stepsOf } from '../state/run-words';
import { useSay, useTranslate } from '../state/texts';

export function RecordedRun({ run }: { run: RunLines }) {
  const say = useSay();
  const translate = useTranslate();
  const steps = stepsOf(run).length;
  const [shown, show] = useState(steps);
  const { violates, violating_step: step } = run[0];
  return (
    <div class="bench recorded">
      <div class="bench-top">
        <div class="bench-main">
          <header class="brief">
            <h1 class="mono">{run[0].scenario}</h1>
            <p class="lead">{say('recorded.intro', { n: steps })}</p>
          </header>
          <section class="panel run-panel" aria-label={say('diagram')}>
            <Diagram run={run} shown={shown} onShow={show} />
            <p class="diagram-note">{say('diagram.hint')}</p>
          </section>
        </div>
        <div class="bench-side">
          {violates && (
            <section class="panel outcome outcome-won">
              <h2>
                <span aria-hidden="true">✗ </span>
                {say('won')}
              </h2>
              <p>{say('won.violates', { step: step ?? steps, what: shortened(translate(violates)) })}</p>
            </section>
          )}
          <section class="panel store-panel" aria-label={say('store.title')}>
            <StepSlider steps={steps} shown={shown} onShow={show} />
            <StorePanel run={run} shown={shown} />
          </section>
        </div>
      </div>
    </div>
  );
}
