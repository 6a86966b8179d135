// Whether a run from a file is one that the bench can play, too.
import { EngineError, type Engine } from '../engine/engine';
import type { RunLines } from '../engine/types';
import { stepsOf } from '../state/run-words';

// The run in one line; empty: its clients are not on this page, or the file says something else.
export function playable(engine: Engine, run: RunLines | undefined): string {
  const short = run?.[0].replay ?? '';
  if (!run || short === '') return '';
  try {
    const here = engine.compare(short, short).one.run;
    const steps = stepsOf(run);
    const same = stepsOf(here).every(
      (step, at) => step.what === steps[at]?.what && step.client === steps[at]?.client && step.reply === steps[at]?.reply,
    );
    return same && here.length === run.length ? short : '';
  } catch (error) {
    if (error instanceof EngineError) return '';
    throw error;
  }
}
