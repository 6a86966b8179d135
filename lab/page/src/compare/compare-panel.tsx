// With what the run on the bench can be compared.
import { useState } from 'preact/hooks';
import { LateVerdict } from '../bench/late-verdict';
import { SearchStatus } from '../bench/search-status';
import { shuffled } from '../bench/shuffled';
import { useSearch } from '../bench/use-search';
import { VerdictCard } from '../bench/verdict-card';
import type { Engine } from '../engine/engine';
import type { Searcher } from '../engine/searcher';
import type { GameState, Scenario } from '../engine/types';
import type { AddressProblem } from '../state/address-problem';
import { ProblemNotice } from '../bench/problem-notice';
import { useSay, useTranslate } from '../state/texts';
import type { Lab } from '../state/use-lab';

interface Props {
  engine: Engine;
  game: GameState;
  lesson: Scenario | undefined;
  scenarios: Scenario[];
  // Whether the player may see which changes repair the lesson.
  broken: boolean;
  lab: Lab;
  searcher: Searcher;
}

// Without steps.
const headOf = (short: string) => short.slice(0, short.lastIndexOf(':') + 1);
const stepsIn = (short: string) => short.slice(short.lastIndexOf(':') + 1);

export function ComparePanel({ engine, game, lesson, scenarios, broken, lab, searcher }: Props) {
  const say = useSay();
  const translate = useTranslate();
  const steps = game.run.length - 1;
  // A proof leaves no shortest run.
  const provedHere =
    game.options.length === 0 && scenarios.find(({ name }) => name === game.name)?.outcome === 'proved';
  const kept = lab.kept && lab.kept !== game.short ? lab.kept : '';
  const sameOrder = (scenario: string) =>
    lab.compare(game.short, engine.fitting(`${scenario}:${stepsIn(game.short)}`));
  const others = lesson && broken ? [lesson, ...shuffled(lesson.repairs, lesson.name)] : [];
  return (
    <section class="panel compare-panel">
      <h2>{say('compare')}</h2>
      <p class="small">{say('compare.intro')}</p>
      <div class="form-buttons">
        <button type="button" disabled={steps === 0 || lab.kept === game.short} onClick={() => lab.keep(game.short)}>
          {say(lab.kept === game.short ? 'compare.kept' : 'compare.keep')}
        </button>
        {kept && (
          <button type="button" onClick={() => lab.compare(kept, game.short)}>
            {say('compare.with-kept')} <span class="mono">{kept}</span>
          </button>
        )}
      </div>
      {!provedHere && <WithShortest game={game} lab={lab} searcher={searcher} />}
      {steps > 0 && others.length > 1 && (
        <details>
          <summary>{say('compare.order')}</summary>
          <ul class="choices">
            {others
              .filter((other) => nameOf(other) !== game.name)
              .map((other) => (
                <li key={nameOf(other)}>
                  <button type="button" class="choice" onClick={() => sameOrder(nameOf(other))}>
                    {'scenario' in other ? translate(other.what) : other.name}
                  </button>
                </li>
              ))}
          </ul>
        </details>
      )}
      <WithPasted game={game} lab={lab} scenarios={scenarios} />
    </section>
  );
}

const nameOf = (one: Scenario | Scenario['repairs'][number]) => ('scenario' in one ? one.scenario : one.name);

function WithShortest({ game, lab, searcher }: { game: GameState; lab: Lab; searcher: Searcher }) {
  const say = useSay();
  const { phase, search, cancel } = useSearch(searcher);
  const about = headOf(game.short);
  const begin = async () => {
    lab.forgetProblem();
    const ended = await search(about);
    const found = ended?.found;
    if (ended?.stayed && found?.verdict.verdict === 'violated') lab.compare(game.short, found.short);
  };
  const done = phase.is === 'done' ? phase.found : null;
  const violated = done?.verdict.verdict === 'violated';
  return (
    <>
      <div class="form-buttons">
        <button type="button" disabled={phase.is === 'running'} onClick={begin}>
          {say('compare.shortest')}
        </button>
      </div>
      <SearchStatus phase={phase} about={about} onCancel={cancel} />
      {done && phase.of === about && violated && (
        <p>
          <button type="button" onClick={() => lab.compare(game.short, done.short)}>
            {say('compare.show')}
          </button>
        </p>
      )}
      {done && phase.of === about && !violated && <VerdictCard found={done} />}
      {done && phase.of !== about && (
        <LateVerdict of={phase.of} found={done} onShow={() => lab.open(violated ? done.short : phase.of)} />
      )}
    </>
  );
}

function WithPasted({ game, lab, scenarios }: { game: GameState; lab: Lab; scenarios: Scenario[] }) {
  const say = useSay();
  const [text, setText] = useState('');
  const [wrong, setWrong] = useState<{ text: string; problem: AddressProblem } | null>(null);
  const submit = (event: Event) => {
    event.preventDefault();
    const problem = lab.pasteBeside(game.short, text);
    setWrong(problem && { text, problem });
  };
  return (
    <>
      <form class="address-form" onSubmit={submit}>
        <label class="field">
          <span>{say('compare.field')}</span>
          <input
            class="mono"
            name="other"
            value={text}
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
        <button type="submit" disabled={text.trim() === ''}>
          {say('compare.show')}
        </button>
      </form>
      {wrong?.text === text && <ProblemNotice refused problem={wrong.problem} scenarios={scenarios} onOpen={lab.open} />}
    </>
  );
}
