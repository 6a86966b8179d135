// Why the lock breaks. The explanation is about the clients and the steps of the shortest run.
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Engine } from '../engine/engine';
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
  engine: Engine;
  explainer: Searcher;
  light: Light;
}

// Other bounds may leave the run as it is.
const haveTheSameSteps = (engine: Engine, one: string, other: string) =>
  one === other || engine.compare(one, other).rows.every(({ same }) => same);

export function WhyPanel({ scenario, game, lab, engine, explainer, light }: Props) {
  const say = useSay();
  const translate = useTranslate();
  const [shortest, setShortest] = useState('');
  // A proved lock has a run that breaks it only in other bounds than its own.
  const proved = scenario.outcome === 'proved';
  useEffect(() => {
    let wanted = !proved;
    if (wanted) {
      explainer.explore(`${scenario.name}:`).then(
        ({ verdict, short }) => wanted && verdict.verdict === 'violated' && setShortest(short),
        () => {},
      );
    }
    return () => {
      wanted = false;
    };
  }, [scenario.name, proved, explainer]);

  const known = shortest !== '';
  const here = useMemo(
    () => known && haveTheSameSteps(engine, game.short, shortest),
    [engine, game.short, known, shortest],
  );
  const open = (step: number) => {
    if (here) lab.show(step);
    else lab.open(shortest, lab.repairOf, step);
  };
  return (
    <section class="panel why">
      <h2>{say('why')}</h2>
      {proved && <p class="notice why-own">{say('why.own')}</p>}
      {known && !here && <p class="small why-other">{say('why.other', { run: shortest })}</p>}
      <Explanation
        text={translate(scenario.explanation)}
        light={here ? light : darkness}
        onStep={known ? open : undefined}
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
