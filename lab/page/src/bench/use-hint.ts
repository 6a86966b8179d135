// A hint says more each time: whether it can be broken, who moves next, which step.
import { useRef, useState } from 'preact/hooks';
import { Cancelled, type Searcher } from '../engine/searcher';
import type { Advice } from '../engine/types';
import { useSay, useTranslate, type Say } from '../state/texts';
import type { Translate } from '../texts/translator.mjs';

function words(advice: Advice, asked: number, say: Say, translate: Translate): string {
  if (advice.outcome === 'proved') return say('hint.proved');
  if (advice.outcome !== 'violated' || !advice.next) {
    return say('hint.incomplete', { reason: translate(advice.reason) });
  }
  const { key, mover } = advice.next;
  const text = translate(advice.next.text);
  if (asked === 1) return say('hint.broken', { n: advice.steps });
  return asked === 2 ? say('hint.mover', { mover }) : say('hint.move', { key, mover, text });
}

export function useHint(adviser: Searcher, short: string) {
  const say = useSay();
  const translate = useTranslate();
  const [given, setGiven] = useState({ short, text: '' });
  const asked = useRef({ short, times: 0 });
  const ask = async () => {
    const times = asked.current.short === short ? asked.current.times + 1 : 1;
    const mine = { short, times };
    asked.current = mine;
    setGiven({ short, text: say('hint.searching') });
    try {
      const advice = await adviser.advise(short);
      if (asked.current === mine) setGiven({ short, text: words(advice, times, say, translate) });
    } catch (error) {
      if (error instanceof Cancelled) return;
      setGiven({ short, text: say('hint.incomplete', { reason: String(error) }) });
    }
  };
  return { hint: given.short === short ? given.text : '', ask };
}
