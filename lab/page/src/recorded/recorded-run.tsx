// What a file holds: a run, a verdict, or both. The run can be looked at; it can be played if it is
// one of the page's own lessons, and not if its clients are programs that are not here.
import { useState } from 'preact/hooks';
import { StepSlider } from '../bench/step-slider';
import { StorePanel } from '../bench/store-panel';
import { VerdictCard } from '../bench/verdict-card';
import { Diagram } from '../diagram/diagram';
import type { RunLines } from '../engine/types';
import { shortened, stepsOf } from '../state/run-words';
import { useSay, useTranslate } from '../state/texts';
import type { RunFile } from './read-run';

interface Props {
  file: RunFile;
  // Opens the file's run on the bench; undefined: that is not possible.
  onPlay: (() => void) | undefined;
}

export function RecordedRun({ file, onPlay }: Props) {
  const { run, verdict } = file;
  const say = useSay();
  const name = run?.[0].scenario ?? verdict?.scenario;
  return (
    <div class="bench recorded">
      <header class="brief">
        <h1 class="mono">{name}</h1>
        <p class="lead">{run ? say('recorded.intro', { n: stepsOf(run).length }) : say('recorded.verdict')}</p>
        {onPlay && (
          <p>
            <button type="button" onClick={onPlay}>
              {say('recorded.play')}
            </button>
          </p>
        )}
      </header>
      {verdict && <VerdictCard found={{ verdict, left_out: [] }} />}
      {run && <RunView run={run} />}
    </div>
  );
}

function RunView({ run }: { run: RunLines }) {
  const say = useSay();
  const translate = useTranslate();
  const steps = stepsOf(run).length;
  const [shown, show] = useState(steps);
  const { violates, violating_step: step } = run[0];
  return (
    <div class="bench-top">
      <div class="bench-main">
        <section class="panel run-panel" aria-label={say('diagram')}>
          <Diagram run={run} shown={shown} onShow={show} />
          <p class="diagram-note">{say('diagram.hint')}</p>
        </section>
      </div>
      <div class="bench-side">
        {violates && step && (
          <section class="panel outcome outcome-won">
            <h2>
              <span aria-hidden="true">✗ </span>
              {say('won')}
            </h2>
            <p>{say('won.violates', { step, what: shortened(translate(violates)) })}</p>
          </section>
        )}
        <section class="panel store-panel" aria-label={say('store.title')}>
          <StepSlider steps={steps} shown={shown} onShow={show} />
          <StorePanel run={run} shown={shown} />
        </section>
      </div>
    </div>
  );
}
