// What the player has to bring about: first what the lesson is about, then the rest, folded.
import type { GameState, Scenario } from '../engine/types';
import { Fold } from '../fold';
import { sentence } from '../state/run-words';
import { useSay, useTranslate } from '../state/texts';

export function Goals({ game, scenario }: { game: GameState; scenario: Scenario | undefined }) {
  const say = useSay();
  const translate = useTranslate();
  const first = game.goals.find(({ property }) => property === scenario?.property) ?? game.goals[0];
  const others = game.goals.filter((goal) => goal !== first);
  if (!first) return null;
  const known = game.options.length === 0 || game.standing === 'won';
  return (
    <>
      <p class="goal">
        <strong>{say(known ? 'goal' : 'goal.perhaps')}</strong> <span>{sentence(translate(first.text))}</span>
      </p>
      {others.length > 0 && (
        <Fold name="goals" open={false} summary={say('goal.others', { n: others.length })}>
          {others.map(({ text }) => (
            <p key={text} class="small">
              {sentence(translate(text))}
            </p>
          ))}
        </Fold>
      )}
    </>
  );
}
