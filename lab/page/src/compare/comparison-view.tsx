// Two runs side by side: what both do stands in one row, and the first difference is marked.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { StorePanel } from '../bench/store-panel';
import { Diagram } from '../diagram/diagram';
import type { Engine } from '../engine/engine';
import type { ComparedRow, ComparedRun, Comparison, RunStep, Scenario } from '../engine/types';
import { replyOf, shortened, stepsOf, whatOf } from '../state/run-words';
import { useSay, useTranslate } from '../state/texts';
import type { Lab } from '../state/use-lab';
import { stepsShown } from './steps-shown';

interface Props {
  comparison: Comparison;
  engine: Engine;
  scenarios: Scenario[];
  lab: Lab;
}

const headOf = (short: string) => short.slice(0, short.lastIndexOf(':') + 1);
const stepsIn = (short: string) => short.slice(short.lastIndexOf(':') + 1);

// Whether the second run is as much of the first one as its lock can do, and not all of it.
function endsEarly(engine: Engine, { one, other }: Comparison): boolean {
  if (headOf(one.short) === headOf(other.short) || other.run.length >= one.run.length) return false;
  return engine.fitting(headOf(other.short) + stepsIn(one.short)) === other.short;
}

export function ComparisonView({ comparison, engine, scenarios, lab }: Props) {
  const { one, other, rows, alike } = comparison;
  const say = useSay();
  const same = rows.every((row) => row.same);
  const [chosen, choose] = useState(Math.min(alike, rows.length - 1));
  const shown = stepsShown(rows, chosen);
  const early = useMemo(() => endsEarly(engine, comparison), [engine, comparison]);
  return (
    <div class="comparison">
      <header class="brief">
        <h1>{say('compare.title')}</h1>
        <p class="lead">{say(same ? 'compare.same' : alike === 0 ? 'compare.none' : 'compare.alike', { n: alike })}</p>
      </header>
      <section class="panel" aria-label={say('compare.title')}>
        <div class="compared-heads">
          <RunHead run={one} number={1} lab={lab} />
          <RunHead run={other} number={2} lab={lab} />
        </div>
        {early && (
          <p class="notice">{say('compare.early', { n: other.run.length - 1, all: one.run.length - 1 })}</p>
        )}
        <Rows comparison={comparison} chosen={chosen} onChoose={choose} />
      </section>
      <div class="compared-stores">
        {[one, other].map((run, index) => (
          <section key={index} class="panel store-panel" aria-label={say('compare.run', { n: index + 1 })}>
            <p class="small">
              {say('compare.run', { n: index + 1 })} ·{' '}
              {shown[index] ? say('slider.at', { n: shown[index]!, all: run.run.length - 1 }) : say('slider.start')}
            </p>
            <StorePanel run={run.run} shown={shown[index]!} scenario={scenarios.find(({ name }) => name === run.name)} />
          </section>
        ))}
      </div>
      <Diagrams comparison={comparison} shown={shown} onShow={choose} />
    </div>
  );
}

function RunHead({ run, number, lab }: { run: ComparedRun; number: number; lab: Lab }) {
  const say = useSay();
  const translate = useTranslate();
  const { violates, violating_step: step, loop } = run.run[0];
  const n = run.run.length - 1;
  return (
    <div class="compared-head">
      <h2>
        <span>
          <span class="run-number">{number}</span> <span class="mono">{run.name}</span>
        </span>
        <span class="typed">{say('steps', { n })}</span>
      </h2>
      <p class="mono small">{run.short}</p>
      <p class={violates ? 'compared-end compared-broken' : 'compared-end'}>
        {violates && step
          ? `✗ ${say('won.violates', { step, what: shortened(translate(violates)) })}`
          : say('compare.unbroken')}
        {loop !== undefined && say('gap') + say('diagram.repeats', { from: loop, to: n })}
      </p>
      <p class="small">{say('bounds.now', { bounds: translate(run.bounds) })}</p>
      <button type="button" onClick={() => lab.open(run.short, lab.repairOf)}>
        {say('compare.open', { n: number })}
      </button>
    </div>
  );
}

interface RowsProps {
  comparison: Comparison;
  chosen: number;
  onChoose(row: number): void;
}

function Rows({ comparison: { one, other, rows, alike }, chosen, onChoose }: RowsProps) {
  const say = useSay();
  const list = useRef<HTMLOListElement>(null);
  const moved = useRef(false);
  useEffect(() => {
    if (moved.current) list.current?.querySelector<HTMLElement>('[aria-pressed="true"]')?.focus();
  }, [chosen]);
  const move = (event: KeyboardEvent) => {
    const last = rows.length - 1;
    const to = { ArrowDown: chosen + 1, ArrowUp: chosen - 1, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    moved.current = true;
    onChoose(Math.min(Math.max(to, 0), last));
  };
  return (
    <ol class="compared" ref={list} onKeyDown={move}>
      {rows.map((row, index) => (
        <li key={index} class={index === alike ? 'first-difference' : ''}>
          {index === alike && (
            <p class="difference-mark">
              <span aria-hidden="true">▼ </span>
              {say('compare.first')}
            </p>
          )}
          <button
            type="button"
            class={`compared-row ${kindOf(row)}`}
            aria-pressed={index === chosen}
            tabIndex={index === chosen ? 0 : -1}
            onClick={() => onChoose(index)}
          >
            <Cell run={one} step={row.one} number={1} />
            <span class="compared-sign" role="img" aria-label={say(words[kindOf(row)])}>
              {signs[kindOf(row)]}
            </span>
            <Cell run={other} step={row.other} number={2} />
          </button>
        </li>
      ))}
    </ol>
  );
}

const words = {
  same: 'compare.same-step',
  answer: 'compare.answer',
  'only-one': 'compare.only-one',
  'only-other': 'compare.only-other',
} as const;
const signs = { same: '=', answer: '≠', 'only-one': '←', 'only-other': '→' };

function kindOf(row: ComparedRow): keyof typeof signs {
  if (row.same) return 'same';
  if (row.one && row.other) return 'answer';
  return row.one ? 'only-one' : 'only-other';
}

function Cell({ run, step, number }: { run: ComparedRun; step: number | undefined; number: number }) {
  const say = useSay();
  const translate = useTranslate();
  const found = step === undefined ? undefined : stepsOf(run.run)[step - 1];
  if (!found) return <span class="compared-cell compared-none" aria-hidden="true" />;
  return (
    <span class={`compared-cell ${laneOf(run, found)} ${found.violates ? 'compared-violates' : ''}`}>
      <span class="run-number" aria-hidden="true">
        {number}
      </span>
      <span class="step-number-small">{step}</span>
      <span class="compared-who">{found.task ? `${found.client}/${found.task}` : (found.client ?? '◷')}</span>
      <span class="mono compared-what">
        {shortened(translate(whatOf(found)))}
        {found.fault && found.fault !== found.what && say('step.fault', { fault: translate(found.fault) })}
        {found.reply !== undefined && <span class="compared-reply"> → {translate(replyOf(found))}</span>}
        {found.violates && <span class="compared-bad"> ✗ {say('violated.what', { what: shortened(translate(found.violates)) })}</span>}
      </span>
    </span>
  );
}

function laneOf({ run }: ComparedRun, step: RunStep): string {
  const client = run[0].clients.indexOf(step.client ?? '');
  return client < 0 ? 'world' : `client-${client}`;
}

interface DiagramsProps {
  comparison: Comparison;
  shown: [number, number];
  onShow(row: number): void;
}

function Diagrams({ comparison: { one, other, rows }, shown, onShow }: DiagramsProps) {
  const say = useSay();
  const [open, setOpen] = useState(false);
  const rowOf = (side: 'one' | 'other', step: number) => rows.findIndex((row) => row[side] === Math.max(step, 1));
  return (
    <details class="panel" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{say('compare.diagrams')}</summary>
      {open && (
        <div class="compared-diagrams">
          <Diagram run={one.run} shown={shown[0]} onShow={(step) => onShow(rowOf('one', step))} />
          <Diagram run={other.run} shown={shown[1]} onShow={(step) => onShow(rowOf('other', step))} />
        </div>
      )}
    </details>
  );
}
