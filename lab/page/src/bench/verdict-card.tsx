// The outcome of a search, drawn as what it is.
import type { Found, PropertyChoice } from '../engine/types';
import { shortened } from '../state/run-words';
import { useSay, useTranslate } from '../state/texts';
import { trustInWords } from './trusts';

const looks = {
  proved: { sign: '✓', title: 'proof' },
  violated: { sign: '✗', title: 'violation' },
  loop: { sign: '↻', title: 'loop' },
  incomplete: { sign: '…', title: 'incomplete' },
  invalid: { sign: '∅', title: 'invalid' },
} as const;

// A wait for ever is a run that comes back to where it was.
export function outcomeOf({ verdict }: Pick<Found, 'verdict'>): keyof typeof looks {
  return verdict.verdict === 'violated' && verdict.loop !== undefined ? 'loop' : verdict.verdict;
}

export const titleOf = (found: Pick<Found, 'verdict'>) => looks[outcomeOf(found)].title;

// A verdict in a file does not name all that was looked for.
type Shown = Pick<Found, 'verdict' | 'left_out'> & Partial<Pick<Found, 'properties'>>;

export function VerdictCard({ found }: { found: Shown }) {
  const say = useSay();
  const translate = useTranslate();
  const { verdict, bounds, reason, states, transitions, property, steps, trusts } = found.verdict;
  const outcome = outcomeOf(found);
  const { sign, title } = looks[outcome];
  return (
    <div class={`verdict verdict-${verdict} verdict-${outcome}`} role="status">
      <p class="verdict-title">
        <span aria-hidden="true">{sign}</span> {say(title)}
      </p>
      {verdict === 'violated' && property && (
        <p>
          <span>{shortened(translate(property))}</span> · {say('steps', { n: steps ?? 0 })}
        </p>
      )}
      {verdict === 'proved' && found.properties && <ProvedProperties properties={found.properties} />}
      {reason && <p>{translate(reason)}</p>}
      <p class="small">{say('bounds.now', { bounds: translate(bounds) })}</p>
      {found.left_out.length > 0 && (
        <details class="small">
          <summary>{say('proof.left-out', { properties: found.left_out.map((one) => one.property).join(say('list.comma')) })}</summary>
          {found.left_out.map(({ property: word, names, why }) => (
            <p key={word}>
              {say('bounds.property.choice', { word, names: names.map(translate).join(say('list.comma')) })}: {translate(why)}
            </p>
          ))}
        </details>
      )}
      {trusts.map((promise) => (
        <p key={promise} class="small">
          {say('proof.trusts', { promise: trustInWords(promise, say, translate) })}
        </p>
      ))}
      <p class="small">{say('proof.figures', { states, transitions })}</p>
    </div>
  );
}

const mostAtOnce = 3;

// What the search has looked for: some locks have twenty such properties.
function ProvedProperties({ properties }: { properties: PropertyChoice[] }) {
  const say = useSay();
  const translate = useTranslate();
  const named = (some: PropertyChoice[]) => some.map(({ name }) => shortened(translate(name))).join(say('list.semicolon'));
  const rest = properties.slice(mostAtOnce);
  return (
    <>
      <p>{say('proof.of', { properties: named(properties.slice(0, mostAtOnce)) })}</p>
      {rest.length > 0 && (
        <details class="small">
          <summary>{say('proof.of.rest', { n: rest.length })}</summary>
          <p>{named(rest)}</p>
        </details>
      )}
    </>
  );
}
