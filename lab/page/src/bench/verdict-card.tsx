// The outcome of a search, drawn as what it is.
import type { Found } from '../engine/types';
import { useSay, useTranslate } from '../state/texts';

const signs = { proved: '✓', violated: '✗', incomplete: '…', invalid: '∅' };
const titles = {
  proved: 'proof',
  violated: 'violation',
  incomplete: 'incomplete',
  invalid: 'invalid',
} as const;

export function VerdictCard({ found }: { found: Found }) {
  const say = useSay();
  const translate = useTranslate();
  const { verdict, bounds, reason, states, transitions, property } = found.verdict;
  return (
    <div class={`verdict verdict-${verdict}`} role="status">
      <p class="verdict-title">
        <span aria-hidden="true">{signs[verdict]}</span> {say(titles[verdict])}
      </p>
      {verdict === 'violated' && property && <p>{translate(property)}</p>}
      {reason && <p>{translate(reason)}</p>}
      <p class="small">{say('bounds.now', { bounds: translate(bounds) })}</p>
      <p class="small">{say('proof.figures', { states, transitions })}</p>
    </div>
  );
}
