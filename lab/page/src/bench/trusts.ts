// What a proof takes for granted, in words for a reader who has not written the lock.
import type { Say } from '../state/texts';
import type { Translate } from '../texts/translator.mjs';

const ofRounds = /^(.+) holds all that rounds of (.+) need \((?:(\d+) rounds|a sample) compared\)$/;

export function trustInWords(promise: string, say: Say, translate: Translate): string {
  const listed = (names: string) => names.split(', ').join(say('list.comma'));
  const [, words, clients, n] = ofRounds.exec(promise) ?? [];
  if (words && clients) {
    const compared = n ? say('trusts.rounds', { n: Number(n) }) : say('trusts.sample');
    return say('trusts.remembers', { words, clients: listed(clients), compared });
  }
  const [, identical] = /^identical clients (.+)$/.exec(promise) ?? [];
  if (identical) return say('trusts.identical', { clients: listed(identical) });
  const [, clock] = /^clock differences of (.+)$/.exec(promise) ?? [];
  return clock ? say('trusts.clock', { clients: listed(clock) }) : translate(promise);
}
