// The changes that might repair a lesson. The search tries the one that is chosen.
import { useState } from 'preact/hooks';
import type { Searcher } from '../engine/searcher';
import type { Found, RepairChoice, Scenario } from '../engine/types';
import { useSay, useTranslate } from '../state/texts';
import type { Lab } from '../state/use-lab';
import { boundsThatDiffer, isLookedFor, withoutSubject } from './repair-scope';
import { repairSeen } from './repairs-seen';
import { SearchStatus } from './search-status';
import { shuffled } from './shuffled';
import { useSearch } from './use-search';
import { VerdictCard } from './verdict-card';

interface Props {
  id: string;
  lesson: Scenario;
  lab: Lab;
  searcher: Searcher;
  onRepaired(): void;
}

export function RepairPanel({ id, lesson, lab, searcher, onRepaired }: Props) {
  const say = useSay();
  const translate = useTranslate();
  const { phase, search, cancel } = useSearch(searcher);
  const seen = repairSeen(lesson.name);
  const [chosen, setChosen] = useState('');

  const foundFor = ({ scenario }: RepairChoice) =>
    seen.found.get(scenario) ??
    (phase.is === 'done' && phase.of === `${scenario}:` ? phase.found : undefined);
  const pressed = chosen || (lab.repairOf ? (lab.game?.name ?? '') : '');

  const choose = async (choice: RepairChoice) => {
    setChosen(choice.scenario);
    lab.forgetProblem();
    if (!lab.repairOf && lab.game?.standing === 'won') seen.from = lab.game.short;
    const known = seen.found.get(choice.scenario);
    const ended = known ? { found: known, stayed: true } : await search(`${choice.scenario}:`);
    if (!ended) return;
    const { found, stayed } = ended;
    seen.found.set(choice.scenario, found);
    // A right repair ends the view of a wrong one.
    if (found.verdict.verdict === 'proved' && stayed && lab.repairOf) lab.open(seen.from || `${lesson.name}:`);
    if (found.verdict.verdict === 'proved') onRepaired();
    if (stayed && found.verdict.verdict === 'violated') lab.open(found.short, lesson.name);
  };

  return (
    <section class="panel repair" id={id} tabIndex={-1} aria-label={say('repair')}>
      <h2>{say('repair')}</h2>
      <p>{say(lesson.repairs.length > 0 ? 'repair.ask' : 'repair.none')}</p>
      <ol class="choices">
        {shuffled(lesson.repairs, lesson.name).map((choice) => (
          <li key={choice.scenario}>
            <button
              type="button"
              class="choice"
              disabled={phase.is === 'running'}
              aria-pressed={pressed === choice.scenario}
              onClick={() => choose(choice)}
            >
              {translate(choice.what)}
            </button>
            {chosen === choice.scenario && phase.is !== 'done' && (
              <SearchStatus phase={phase} onCancel={cancel} />
            )}
            <Result
              choice={choice}
              lesson={lesson}
              found={foundFor(choice)}
              shown={lab.game?.short}
              onOpen={(short) => lab.open(short, lesson.name)}
              onPlay={() => lab.open(`${choice.scenario}:`)}
            />
          </li>
        ))}
      </ol>
    </section>
  );
}

interface ResultProps {
  choice: RepairChoice;
  lesson: Scenario;
  found: Found | undefined;
  // The run on the bench.
  shown: string | undefined;
  onOpen(short: string): void;
  // Opens the repaired lock.
  onPlay(): void;
}

function Result({ choice, lesson, found, shown, onOpen, onPlay }: ResultProps) {
  const say = useSay();
  const translate = useTranslate();
  if (!found) return null;
  const { verdict, reason, steps } = found.verdict;
  const differ = boundsThatDiffer(lesson.bounds, found.verdict.bounds);
  const bounds = (parts: string[]) => parts.map(translate).join(say('list.comma')) || say('repair.bounds.nothing');
  return (
    <div class="repair-result">
      <p role="status">
        <strong>
          {verdict === 'proved'
            ? say(differ ? 'repair.right.elsewhere' : 'repair.right')
            : verdict === 'violated'
              ? say('repair.wrong', { n: steps ?? 0 })
              : say('repair.unknown', { reason: translate(reason ?? '') })}
        </strong>{' '}
        <span>{translate(choice.answer)}</span>
      </p>
      {differ && <p class="small">{say('repair.bounds', { lesson: bounds(differ.lesson), repair: bounds(differ.repair) })}</p>}
      {verdict === 'proved' && !isLookedFor(lesson.property, found) && (
        <p>{say('repair.not-looked-for', { property: translate(withoutSubject(lesson.property)) })}</p>
      )}
      {verdict !== 'violated' && <VerdictCard found={found} />}
      {verdict === 'proved' && (
        <p>
          <button type="button" onClick={onPlay}>
            {say('repair.play', { name: choice.scenario })}
          </button>
        </p>
      )}
      {verdict === 'violated' && found.short !== shown && (
        <p>
          <button type="button" onClick={() => onOpen(found.short)}>
            {say('search.open')}
          </button>
        </p>
      )}
    </div>
  );
}
