// A step in words, for those who hear the page.
import type { RunLines, RunStep } from '../engine/types';
import { changesOf, expires, lasting, replyOf, serversOf, shortened, whatOf } from '../state/run-words';
import { useSay, useTranslate } from '../state/texts';

const isAtOneServer = ({ kind, client }: RunStep) =>
  kind === 'operation' || kind === 'deliver' || kind === 'late' || (kind === 'fault' && client === undefined);

export function useStepLabel() {
  const say = useSay();
  const translate = useTranslate();
  return (step: RunStep, run: RunLines): string => {
    const colon = say('step.colon');
    const who = step.client ? `${step.client}${colon}` : '';
    const fault = step.fault && step.fault !== step.what ? say('step.fault', { fault: translate(step.fault) }) : '';
    const what = shortened(translate(whatOf(step)));
    const where = isAtOneServer(step) && serversOf(run) > 1 ? say('step.server', { what, n: step.server + 1 }) : what;
    const parts = [say('step.label', { n: step.step }), `${who}${where}${fault}`];
    const reply = replyOf(step);
    if (reply) parts.push(say('step.answer', { reply: translate(reply) }));
    if (step.note) parts.push(translate(step.note));
    for (const key of changesOf(run, step.step)) {
      const left = key.remaining_ms === undefined ? '' : say('step.comma') + say('step.left', { time: lasting(key.remaining_ms) });
      if (key.change === 'gone') parts.push(`${key.key}${colon}${say(expires(step) ? 'store.expired' : 'store.gone')}`);
      else if (key.change === 'renewed') parts.push(`${key.key}${colon}${say('store.renewed')}${left}`);
      else parts.push(`${key.key} = ${shortened(key.value)}${left}`);
    }
    if (step.violates) parts.push(`${say('diagram.violation')}${colon}${translate(step.violates)}`);
    return parts.join(say('step.break'));
  };
}
