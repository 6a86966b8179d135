// Why a client cannot move.
import type { GameState } from '../engine/types';
import { shortened, stepsOf, worldAfter } from '../state/run-words';
import type { Say } from '../state/texts';
import type { Translate } from '../texts/translator.mjs';

const instantsIn = (game: GameState) => /(\d+) instants/.exec(game.bounds)?.[1];
const passedIn = (game: GameState) => stepsOf(game.run).filter(({ kind }) => kind === 'time').length;

// What would end a sleep.
function aboutTime(game: GameState, say: Say): string {
  if (game.moves.some(({ key }) => key === 't')) return say('still.time.can');
  if (/time without end/.test(game.bounds)) return say('still.time.later');
  const instants = instantsIn(game);
  if (!instants) return say('still.time.stands');
  return passedIn(game) < Number(instants) - 1 ? say('still.time.later') : say('still.time.ends', { instants });
}

export function whyStill(game: GameState, client: number, say: Say, translate: Translate): string {
  const view = worldAfter(game.run, stepsOf(game.run).length).clients[client];
  if (view?.status === 'crashed') return say('still.crashed');
  if (view?.status === 'done') return say('still.done');
  if (view?.next === 'sleep') return say('still.sleeps') + say('gap') + aboutTime(game, say);
  if (view?.next === 'wait for a message') return say('still.message');
  return view?.next ? say('still.waits', { what: shortened(translate(view.next)) }) : say('still.others');
}
