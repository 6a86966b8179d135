// Why the lock breaks. The explanation counts the steps of the shortest run.
import { useEffect, useState } from 'preact/hooks';
import type { Searcher } from '../engine/searcher';
import { darkness, type Light } from '../diagram/use-light';
import type { GameState, Scenario } from '../engine/types';
import { useSay, useTranslate } from '../state/texts';
import type { Lab } from '../state/use-lab';
import { Explanation } from './explanation';

interface Props {
  scenario: Scenario;
  game: GameState;
  lab: Lab;
  adviser: Searcher;
  light: Light;
}

export function WhyPanel({ scenario, game, lab, adviser, light }: Props) {
  const say = useSay();
  const translate = useTranslate();
  const [shortest, setShortest] = useState('');
  useEffect(() => {
    let wanted = true;
    adviser.explore(`${scenario.name}:`).then(
      (found) => wanted && setShortest(found.short),
      () => {},
    );
    return () => {
      wanted = false;
    };
  }, [scenario.name, adviser]);

  const here = shortest === '' || game.short === shortest;
  const open = (step: number) => {
    if (here) lab.show(step);
    else lab.open(shortest, lab.repairOf, step);
  };
  return (
    <section class="panel why">
      <h2>{say('why')}</h2>
      {!here && <p class="small">{say('why.other')}</p>}
      <Explanation
        text={translate(scenario.explanation)}
        light={here ? light : darkness}
        onStep={open}
      />
      {scenario.fix && !scenario.repairs.length && (
        <p>{say('why.fix', { fix: translate(scenario.fix) })}</p>
      )}
      {scenario.sources.length > 0 && (
        <details>
          <summary>{say('why.sources')}</summary>
          <ul class="small">
            {scenario.sources.map((source) => (
              <li key={source}>{translate(source)}</li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}
