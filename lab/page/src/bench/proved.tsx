// In the place of a goal: nobody can break this lock within its bounds.
import type { GameState } from '../engine/types';
import { Fold } from '../fold';
import { sentence, shortened } from '../state/run-words';
import { useSay, useTranslate } from '../state/texts';
import type { Lab } from '../state/use-lab';

// What a search looks for: no player is asked for a deadlock beside other goals. The properties that are
// looked for only when they are chosen are not among them.
const provedOf = ({ goals, properties }: GameState) =>
  properties
    .filter(({ word, name }) => word === 'deadlock' || goals.some(({ property }) => property === name))
    .map(({ name }) => name);

interface Props {
  game: GameState;
  flawed: string;
  lab: Lab;
}

export function Proved({ game, flawed, lab }: Props) {
  const say = useSay();
  const translate = useTranslate();
  const all = provedOf(game);
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
      <Fold name="proved" open={false} summary={say('proved.what', { n: all.length })}>
        {all.map((property) => (
          <p key={property} class="small">
            {sentence(shortened(translate(property)))}
          </p>
        ))}
      </Fold>
    </>
  );
}
