// What a file holds: a run, a verdict, or both. A run of a lesson has been replayed, and can be
// played. What the clients of another program have done is as the file says.
import { useState } from 'preact/hooks';
import { StepSlider } from '../bench/step-slider';
import { StorePanel } from '../bench/store-panel';
import { VerdictCard } from '../bench/verdict-card';
import { Diagram } from '../diagram/diagram';
import type { RunLines, Scenario } from '../engine/types';
import { shortened, stepsOf } from '../state/run-words';
import { useSay, useTranslate } from '../state/texts';
import { CodePanel } from '../code/code-panel';
import type { LockSources } from '../code/lock-sources';
import type { CheckedFile } from './checked-run';

interface Props {
  file: CheckedFile;
  sources: LockSources;
  // The lesson that was replayed.
  scenario: Scenario | undefined;
  // Opens the file's run on the bench; undefined: that is not possible.
  onPlay: (() => void) | undefined;
}

export function RecordedRun({ file, sources, scenario, onPlay }: Props) {
  const { run, verdict, replayed } = file;
  const say = useSay();
  const name = run?.[0].scenario ?? verdict?.scenario;
  return (
    <div class="bench recorded">
      <header class="brief">
        <h1 class="mono">{name}</h1>
        <p class="lead">{run ? say('recorded.intro', { n: stepsOf(run).length }) : say('recorded.verdict')}</p>
        <p class="notice trust">{say(replayed ? (verdict ? 'recorded.replayed' : 'recorded.replayed-run') : run ? 'recorded.as-said' : 'recorded.search-as-said')}</p>
        {onPlay && (
          <p>
            <button type="button" onClick={onPlay}>
              {say('recorded.play')}
            </button>
          </p>
        )}
      </header>
      {verdict && <VerdictCard found={{ verdict, left_out: [] }} />}
      {run && <RunView run={run} replayed={replayed} sources={sources} scenario={scenario} />}
    </div>
  );
}

interface ViewProps extends Pick<CheckedFile, 'replayed'>, Pick<Props, 'sources' | 'scenario'> {
  run: RunLines;
}

function RunView({ run, replayed, sources, scenario }: ViewProps) {
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
          <StorePanel run={run} shown={shown} scenario={scenario} />
        </section>
      </div>
      {replayed && <CodePanel game={replayed} shown={shown} sources={sources} />}
    </div>
  );
}
