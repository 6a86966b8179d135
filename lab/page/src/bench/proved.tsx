// In the place of a goal: no run within the bounds violates what the scenario promises.
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
  // A resource that checks fencing tokens makes a lock safe that two clients may hold at one time.
  const exclusion = game.properties.find(({ word }) => word === 'mutual-exclusion');
  const leftOut = exclusion && !all.includes(exclusion.name);
  return (
    <>
      <p class="goal">
        <strong>{say('proved')}</strong> <span>{say('proved.here')}</span>
        {leftOut && <> {say('proved.without', { property: translate(exclusion.name) })}</>}
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
