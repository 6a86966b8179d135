// The space-time diagram: time goes down, each client and each server has a lane.
import { useEffect, useRef } from 'preact/hooks';
import type { RunLines } from '../engine/types';
import { loopOf, shortened, stepsOf, worldAfter } from '../state/run-words';
import { useSay, useTranslate } from '../state/texts';
import { ClientLanes, ServerLanes } from './lanes';
import { fitted, layOut, type Layout } from './layout';
import { LeaseLanes } from './lease-lanes';
import { Legend } from './legend';
import { LoopNote, LoopSign } from './loop';
import { StepRow } from './step-row';
import { Steps } from './steps';
import { darkness, type Light } from './use-light';
import { useWidth } from './use-width';

interface Props {
  run: RunLines;
  shown: number;
  onShow(step: number): void;
  light?: Light;
}

export function Diagram({ run, shown, onShow, light = darkness }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const layout = layOut(run, useWidth(box));
  const steps = stepsOf(run).length;

  useEffect(() => {
    const row = box.current?.querySelector<HTMLElement>(`[data-step="${shown}"]`);
    if (box.current?.querySelector('.steps')?.contains(document.activeElement)) row?.focus();
  }, [shown]);

  useEffect(() => {
    if (shown > 0) box.current?.querySelector('.shown')?.scrollIntoView({ block: 'nearest' });
  }, [steps]);

  const move = (event: KeyboardEvent) => {
    const target = { ArrowDown: shown + 1, ArrowUp: shown - 1, Home: 0, End: steps }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    onShow(Math.min(Math.max(target, 0), steps));
  };

  return (
    <div class="diagram" ref={box}>
      <div class="diagram-frame" onKeyDown={move}>
        <Drawing run={run} layout={layout} shown={shown} />
        <Steps run={run} layout={layout} shown={shown} light={light} onShow={onShow} />
      </div>
      <ViolationNote run={run} />
      <LoopNote run={run} />
      <Legend />
    </div>
  );
}

// Beside the drawing and not in it: its words wrap.
function ViolationNote({ run }: { run: RunLines }) {
  const say = useSay();
  const translate = useTranslate();
  const { violates } = run[0];
  if (violates === undefined) return null;
  return <p class="diagram-note violation-note">✗ {say('violated.what', { what: shortened(translate(violates)) })}</p>;
}

function Drawing({ run, layout, shown }: { run: RunLines; layout: Layout; shown: number }) {
  const violating = run[0].violating_step ?? 0;
  const loop = loopOf(run);
  const last = layout.rows[layout.rows.length - 1]!;
  return (
    <svg viewBox={`0 0 ${layout.width} ${layout.height}`} aria-hidden="true">
      <ArrowHeads layout={layout} />
      <Names run={run} layout={layout} />
      <ServerLanes layout={layout} />
      <LeaseLanes run={run} layout={layout} />
      <ClientLanes run={run} layout={layout} />
      {loop && <LoopSign from={layout.rows[loop.from]!.top} to={last.top + last.height} />}
      <StartValues run={run} layout={layout} />
      {stepsOf(run).map((step) => {
        const row = layout.rows[step.step]!;
        const bad = step.step === violating;
        return (
          <g key={step.step} class={`step-drawing${step.step > shown ? ' later' : ''}${bad ? ' bad' : ''}`}>
            <text class="step-number" x="34" y={row.top + row.height / 2 + 4}>
              {bad ? '▶' : ''}
              {step.step}
            </text>
            <StepRow run={run} step={step} row={row} layout={layout} />
          </g>
        );
      })}
    </svg>
  );
}

function ArrowHeads({ layout }: { layout: Layout }) {
  return (
    <defs>
      {layout.clients.map((_, client) => (
        <marker
          key={client}
          id={`head-${client}`}
          class={`client-${client}`}
          viewBox="0 0 8 8"
          refX="7"
          refY="4"
          markerWidth="7"
          markerHeight="7"
          orient="auto"
        >
          <path class="arrow-head" d="M0 0.5L8 4L0 7.5z" />
        </marker>
      ))}
    </defs>
  );
}

function Names({ run, layout }: { run: RunLines; layout: Layout }) {
  const say = useSay();
  return (
    <>
      {run[0].clients.map((name, client) => (
        <text key={name} class={`lane-name client-${client}`} x={layout.clients[client]} y="20">
          {name}
        </text>
      ))}
      {layout.servers.map((x, server) => (
        <text key={x} class="lane-name lane-name-store" x={x} y="20">
          {layout.servers.length > 1 ? `S${server + 1}` : say('diagram.store')}
        </text>
      ))}
    </>
  );
}

function StartValues({ run, layout }: { run: RunLines; layout: Layout }) {
  const world = worldAfter(run, 0);
  const row = layout.rows[0]!;
  return (
    <>
      {layout.values.map((x, server) => {
        const first = world.keys.find((key) => key.server === server);
        return (
          first && (
            <text key={server} class="label value start" x={x} y={row.top + row.height / 2 + 4}>
              {fitted(shortened(first.value), layout.valueRoom)}
            </text>
          )
        );
      })}
    </>
  );
}
