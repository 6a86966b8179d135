// The bench: a run that grows step by step, and what can be learned from it.
import { useEffect, useRef, useState } from 'preact/hooks';
import { CodePanel } from '../code/code-panel';
import type { LockSources } from '../code/lock-sources';
import { Diagram } from '../diagram/diagram';
import { useStepLabel } from '../diagram/step-label';
import type { Engine } from '../engine/engine';
import { useLight } from '../diagram/use-light';
import { Guarded } from '../guarded';
import type { Searchers } from '../engine/searcher';
import type { GameState, Scenario } from '../engine/types';
import type { Progress } from '../state/progress';
import { stepsOf } from '../state/run-words';
import { useSay } from '../state/texts';
import type { Lab } from '../state/use-lab';
import { ComparePanel } from '../compare/compare-panel';
import { AddressPanel } from './address-panel';
import { BoundsPanel } from './bounds-panel';
import { flawedOf } from './flawed-of';
import { Brief } from './brief';
import { MovesPanel } from './moves-panel';
import { isFinished, NextLesson } from './next-lesson';
import { Outcome } from './outcome';
import { RepairPanel } from './repair-panel';
import { StorePanel } from './store-panel';
import { StepSlider } from './step-slider';
import { Tools } from './tools';
import { useBenchKeys } from './use-bench-keys';
import { useHint } from './use-hint';
import { titleOf } from './verdict-card';
import { WhyPanel } from './why-panel';

const repairId = 'repair';
const goToRepair = () => document.getElementById(repairId)?.focus();

interface Props extends Searchers {
  lab: Lab;
  game: GameState;
  engine: Engine;
  sources: LockSources;
  scenarios: Scenario[];
  progress: Progress;
  solve(list: keyof Progress, lesson: string): void;
}

export function Bench({ lab, game, engine, searcher, adviser, explainer, sources, scenarios, progress, solve }: Props) {
  const say = useSay();
  const labelOf = useStepLabel();
  const [said, setSaid] = useState('');
  const [playedBy, setPlayedBy] = useState('');
  const light = useLight();
  const scenario = scenarios.find(({ name }) => name === game.name);
  const flawed = flawedOf(scenarios, game.name);
  const { hint, ask } = useHint(adviser, game.short, flawed);
  const lesson = scenarios.find(({ name }) => name === (lab.repairOf || game.name));
  const steps = stepsOf(game.run);
  const won = game.standing === 'won';
  const both = (one: string, other: string) => one + say('gap') + other;
  // The runs that the player's own steps have led to, and that are not drawn yet. Any other run was opened,
  // and the status line says so.
  const told = useRef<string[]>([]);
  const announce = (words: string, of?: string) => {
    if (of !== undefined) told.current.push(of);
    setSaid(words);
  };
  const opened = () => announce(both(say('said.opened', { name: game.name }), won ? (lab.repairOf ? say('repair.wrong', { n: steps.length }) : say('said.won')) : ''));

  const play = (key: string) => {
    const next = lab.play(key);
    const last = next && stepsOf(next.run).at(-1);
    if (!next || !last) return next;
    const label = labelOf(last, next.run);
    announce(next.standing === 'won' ? both(`${label}${say('said.stop')}`, say('said.won')) : label, next.short);
    if (next.standing === 'won') {
      setPlayedBy(next.short);
      if (next.options.length === 0) solve('broken', next.name);
    }
    return next;
  };
  const undo = () => {
    const back = lab.undo();
    announce(say('said.undone', { n: Math.max(steps.length - 1, 0) }), back?.short);
  };
  const restart = () => {
    const begun = lab.restart();
    announce(say('said.restarted'), begun?.short);
  };
  const toRepair = won && lesson && lesson.repairs.length > 0 && !isFinished(lesson, progress) ? goToRepair : undefined;
  const typed = useBenchKeys(game, { play, retract: lab.undo, undo, hint: ask, repair: toRepair });
  useEffect(opened, [game.name, say]);
  useEffect(() => {
    const at = told.current.indexOf(game.short);
    if (at < 0) opened();
    else told.current.splice(0, at + 1);
  }, [game.short]);
  const repaired = (name: string) => {
    announce(say('repair.right'));
    solve('repaired', name);
  };

  // What comes after a broken lock stands before the store, and later, when the lesson is played again,
  // below it.
  const store = (
    <Guarded key="store" of={game.short}>
      <section class="panel store-panel" aria-label={say('store.title')}>
        <StepSlider steps={steps.length} shown={lab.shown} onShow={lab.show} />
        <StorePanel run={game.run} shown={lab.shown} scenario={scenario} />
      </section>
    </Guarded>
  );
  const why = scenario && (
    <Guarded key="why" of={game.short}>
      <WhyPanel key={game.name} scenario={scenario} game={game} lab={lab} engine={engine} explainer={explainer} light={light} />
    </Guarded>
  );
  const repair = lesson && (won || progress.broken.includes(lesson.name)) && (
    <Guarded key={`repair ${lesson.name}`} of={game.short}>
      <RepairPanel id={repairId} lesson={lesson} lab={lab} searcher={searcher} onRepaired={() => repaired(lesson.name)} />
      <NextLesson lesson={lesson} scenarios={scenarios} progress={progress} lab={lab} />
    </Guarded>
  );
  return (
    <div class="bench">
      <div class="bench-top">
        <div class="bench-main">
          <Guarded of={game.short}>
            <Brief game={game} scenario={scenario} lesson={lesson} flawed={flawed} lab={lab} />
          </Guarded>
          <section class="panel run-panel" aria-label={say('diagram')}>
            <Tools
              steps={steps.length}
              best={game.options.length === 0 && scenario?.outcome === 'violated' ? scenario : undefined}
              onUndo={undo}
              onRestart={restart}
              onHint={ask}
              undoIsTaken={game.moves.some((move) => move.key.startsWith('u'))}
              over={game.standing !== 'open'}
            />
            <Guarded of={game.short}>
              <Diagram run={game.run} shown={lab.shown} onShow={lab.show} light={light} />
            </Guarded>
          </section>
        </div>
        <div class="bench-side">
          <section class={`panel moves-panel ${game.standing === 'open' ? 'moves-open' : ''}`} aria-label={say('moves')}>
            {game.standing === 'open' ? (
              <MovesPanel game={game} typed={typed} onPlay={play} />
            ) : (
              <Outcome game={game} scenario={scenario} own={playedBy === game.short} onRepair={toRepair} />
            )}
            <p class="hint" role="status">
              {hint}
            </p>
          </section>
          {won ? [why, repair, store] : [store, repair]}
        </div>
        <Guarded of={game.short}>
          <CodePanel game={game} shown={lab.shown} sources={sources} />
        </Guarded>
      </div>
      <div class="bench-after">
        <Guarded of={game.short}>
          <BoundsPanel key={game.name} game={game} scenario={scenario} lab={lab} searcher={searcher} onVerdict={(found) => announce(say(titleOf(found)))} />
        </Guarded>
        <Guarded of={game.short}>
          <ComparePanel
            key={`compare ${game.name}`}
            engine={engine}
            game={game}
            lesson={lesson}
            scenarios={scenarios}
            broken={won || progress.broken.includes(lesson?.name ?? '')}
            lab={lab}
            searcher={searcher}
          />
        </Guarded>
        <Guarded of={game.short}>
          <AddressPanel engine={engine} game={game} scenarios={scenarios} lab={lab} />
        </Guarded>
      </div>
      <p class="unseen" role="status" aria-live="polite">
        {said}
      </p>
    </div>
  );
}
