// In the place of a goal: nobody can break this lock within its bounds.
import type { GameState } from '../engine/types';
import { Fold } from '../fold';
import { sentence, shortened } from '../state/run-words';
import { useSay, useTranslate } from '../state/texts';
import type { Lab } from '../state/use-lab';

interface Props {
  game: GameState;
  flawed: string;
  lab: Lab;
}

export function Proved({ game, flawed, lab }: Props) {
  const say = useSay();
  const translate = useTranslate();
  return (
    <>
      <p class="goal">
        <strong>{say('proved')}</strong> <span>{say('proved.here')}</span>
        {flawed !== '' && (
          <>
            {' '}
            <button type="button" class="link" onClick={() => lab.open(`${flawed}:`)}>
              {say('proved.flawed', { name: flawed })}
            </button>
          </>
        )}
      </p>
      <Fold name="proved" open={false} summary={say('proved.what', { n: game.goals.length })}>
        {game.goals.map(({ property }) => (
          <p key={property} class="small">
            {sentence(shortened(translate(property)))}
          </p>
        ))}
      </Fold>
    </>
  );
}
