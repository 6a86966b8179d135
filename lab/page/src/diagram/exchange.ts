// What became of a request and of its answer.
import type { RunStep } from '../engine/types';

export type Passage = 'arrives' | 'lost' | 'pending' | 'none';

export function requestOf(step: RunStep): Passage {
  if (step.kind === 'deliver') return 'none';
  if (step.applied || step.fault === 'rejected') return 'arrives';
  const comes = step.fault === 'late-execution' || step.fault === 'late-write';
  return comes ? 'pending' : 'lost';
}

export function answerOf(step: RunStep): Passage {
  if (step.kind === 'deliver') return step.reply === 'indeterminate' ? 'none' : 'arrives';
  if (requestOf(step) !== 'arrives') return 'none';
  const lost = step.fault === 'lost-reply' || /answer is lost/.test(step.note ?? '');
  if (lost) return 'lost';
  return step.delivered ? 'arrives' : 'pending';
}

// What the client hears, which may be that it hears nothing.
export const isHeard = (step: RunStep) => step.delivered && step.reply !== undefined;
