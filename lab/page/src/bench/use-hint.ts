// A hint says more each time: whether it can be broken, who moves next, which step.
import { useRef, useState } from 'preact/hooks';
import { Cancelled, type Searcher } from '../engine/searcher';
import type { Way } from '../engine/types';
import { shortened } from '../state/run-words';
import { useSay, useTranslate, type Say } from '../state/texts';
import type { Translate } from '../texts/translator.mjs';

type Answer = { is: 'searching' } | { is: 'failed'; why: string } | { is: 'way'; way: Way };

// Said anew in each language, so it is kept as what it says.
interface Hint {
  short: string;
  asked: number;
  answer: Answer;
}

const stepsFrom = (way: Way, short: string) => {
  const at = way.steps.findIndex((step) => step.short === short);
  return at < 0 ? [] : way.steps.slice(at);
};

function noWay({ never }: Way, flawed: string, say: Say): string {
  if (!never) return say('hint.proved');
  const sibling = flawed === '' ? '' : ` ${say('hint.proved.flawed', { name: flawed })}`;
  return `${say('hint.proved.all')}${sibling}`;
}

function words({ short, asked, answer }: Hint, flawed: string, say: Say, translate: Translate): string {
  if (answer.is === 'searching') return say('hint.searching');
  if (answer.is === 'failed') return say('hint.incomplete', { reason: translate(answer.why) });
  const { outcome, reason } = answer.way.advice;
  if (outcome === 'proved') return noWay(answer.way, flawed, say);
  const steps = stepsFrom(answer.way, short);
  if (outcome !== 'violated' || !steps[0]) return say('hint.incomplete', { reason: translate(reason) });
  const { key, mover, text } = steps[0].move;
  if (asked === 1) return say('hint.broken', { n: steps.length });
  return asked === 2 ? say('hint.mover', { mover }) : say('hint.move', { key, mover, text: shortened(translate(text)) });
}

// `flawed`: the lock that the open one repairs; empty: none.
export function useHint(adviser: Searcher, short: string, flawed: string) {
  const say = useSay();
  const translate = useTranslate();
  const [hint, setHint] = useState<Hint | null>(null);
  const latest = useRef<Hint | null>(null);
  // Kept as long as the player follows it: it ends, and the next search might begin another loop.
  const way = useRef<Way | null>(null);

  const give = (next: Hint) => {
    latest.current = next;
    setHint(next);
  };
  const ask = async () => {
    const asked = latest.current?.short === short ? latest.current.asked + 1 : 1;
    if (way.current && stepsFrom(way.current, short).length > 0) {
      give({ short, asked, answer: { is: 'way', way: way.current } });
      return;
    }
    const mine: Hint = { short, asked, answer: { is: 'searching' } };
    give(mine);
    try {
      way.current = await adviser.advise(short);
      if (latest.current === mine) give({ ...mine, answer: { is: 'way', way: way.current } });
    } catch (error) {
      if (error instanceof Cancelled || latest.current !== mine) return;
      give({ ...mine, answer: { is: 'failed', why: String(error) } });
    }
  };
  return { hint: hint?.short === short ? words(hint, flawed, say, translate) : '', ask };
}
