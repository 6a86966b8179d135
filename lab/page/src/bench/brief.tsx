// What is open, and what the player has to bring about.
import type { GameState, Scenario } from '../engine/types';
import { sentence } from '../state/run-words';
import { useSay, useTranslate } from '../state/texts';
import type { Lab } from '../state/use-lab';
import { Goals } from './goals';
import { Proved } from './proved';
import { repairSeen } from './repairs-seen';

interface Props {
  game: GameState;
  scenario: Scenario | undefined;
  lesson: Scenario | undefined;
  // The lock that this one repairs; empty: none.
  flawed: string;
  lab: Lab;
}

export function Brief({ game, scenario, lesson, flawed, lab }: Props) {
  const say = useSay();
  const translate = useTranslate();
  const choice = lesson?.repairs.find((repair) => repair.scenario === game.name);
  const viewing = lab.repairOf && lesson && choice;
  const isProved = scenario?.outcome === 'proved' && game.options.length === 0;
  return (
    <section class="brief">
      <h1 class="mono">{game.name}</h1>
      {scenario && <p class="lead">{sentence(translate(scenario.summary))}</p>}
      {viewing ? (
        <p class="notice">
          {game.standing === 'won' && (
            <>
              <strong>{say('repair.wrong', { n: game.run.length - 1 })}</strong>{' '}
            </>
          )}
          {say('repair.viewing', { what: translate(choice.what) })}{' '}
          <button type="button" class="link" onClick={() => goBack(lab, lesson.name)}>
            {say('repair.back', { name: lesson.name })}
          </button>
        </p>
      ) : isProved ? (
        <Proved game={game} flawed={flawed} lab={lab} />
      ) : (
        <Goals game={game} scenario={scenario} />
      )}
      <p class="small">{say('bounds.now', { bounds: translate(game.bounds) })}</p>
    </section>
  );
}

function goBack(lab: Lab, lesson: string) {
  lab.open(repairSeen(lesson).from || `${lesson}:`);
}
