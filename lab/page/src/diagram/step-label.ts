// A step in words, for those who hear the page.
import type { RunLines, RunStep } from '../engine/types';
import { replyOf, shortened, storeRows, worldAfter } from '../state/run-words';
import { useSay, useTranslate } from '../state/texts';

export function useStepLabel() {
  const say = useSay();
  const translate = useTranslate();
  return (step: RunStep, run: RunLines): string => {
    const who = step.client ? `${step.client}: ` : '';
    const fault = step.fault && step.fault !== step.what ? ` (${translate(step.fault)})` : '';
    const what = shortened(translate(step.what));
    const parts = [`${say('step.label', { n: step.step })}. ${who}${what}${fault}`];
    const reply = replyOf(step);
    if (reply) parts.push(say('step.answer', { reply: translate(reply) }));
    if (step.note) parts.push(translate(step.note));
    for (const key of storeRows(worldAfter(run, step.step - 1), step.after)) {
      if (key.change === 'gone') parts.push(`${key.key}: ${say('store.gone')}`);
      else if (key.change !== 'same') parts.push(`${key.key} = ${shortened(key.value)}`);
    }
    if (step.violates) parts.push(`${say('diagram.violation')}: ${translate(step.violates)}`);
    return parts.join('. ');
  };
}
