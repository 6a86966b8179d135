// The space-time diagram: time goes down, each client and each server has a lane.
import { useEffect, useRef } from 'preact/hooks';
import type { RunLines } from '../engine/types';
import { shortened, stepsOf, storeRows, worldAfter } from '../state/run-words';
import { useSay, useTranslate } from '../state/texts';
import { ClientLanes, ServerLanes } from './lanes';
import { layOut, type Row } from './layout';
import { StepRow } from './step-row';
import { useStepLabel } from './step-label';
import { useWidth } from './use-width';

interface Props {
  run: RunLines;
  shown: number;
  onShow(step: number): void;
}

export function Diagram({ run, shown, onShow }: Props) {
  const say = useSay();
  const translate = useTranslate();
  const labelOf = useStepLabel();
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const layout = layOut(run, width);
  const steps = stepsOf(run);
  const violating = run[0].violating_step ?? 0;
  const loop = run[0].loop;
  const last = layout.rows[layout.rows.length - 1]!;

  useEffect(() => {
    const row = box.current?.querySelector(`[data-step="${shown}"]`);
    if (box.current?.contains(document.activeElement)) (row as SVGElement | null)?.focus();
  }, [shown]);

  useEffect(() => {
    if (shown > 0) box.current?.querySelector('.shown')?.scrollIntoView({ block: 'nearest' });
  }, [steps.length]);

  const move = (event: KeyboardEvent) => {
    const target = { ArrowDown: shown + 1, ArrowUp: shown - 1, Home: 0, End: steps.length }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    onShow(Math.min(Math.max(target, 0), steps.length));
  };

  const rowProps = (row: Row, label: string, className: string) => ({
    class: className,
    'data-step': row.step,
    role: 'button' as const,
    tabIndex: row.step === shown ? 0 : -1,
    'aria-pressed': row.step === shown,
    'aria-label': label,
    onClick: () => onShow(row.step),
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      onShow(row.step);
    },
  });

  return (
    <div class="diagram" ref={box} onKeyDown={move}>
      <svg
        viewBox={`0 0 ${layout.width} ${layout.height}`}
        role="group"
        aria-label={say('diagram')}
      >
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
        <g aria-hidden="true">
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
        </g>
        <g aria-hidden="true">
          <ServerLanes layout={layout} />
          <ClientLanes run={run} layout={layout} />
          {loop !== undefined && <Loop from={layout.rows[loop]!.top} to={last.top + last.height} />}
        </g>
        <g {...rowProps(layout.rows[0]!, say('slider.start'), stepClass(0, shown, false))}>
          <Band row={layout.rows[0]!} width={layout.width} />
          <StartValues run={run} row={layout.rows[0]!} x={layout.servers[0]! + 11} hidden={layout.servers.length > 1} />
        </g>
        {steps.map((step) => {
          const row = layout.rows[step.step]!;
          const bad = step.step === violating;
          return (
            <g key={step.step} {...rowProps(row, labelOf(step, run), stepClass(step.step, shown, bad))}>
              <Band row={row} width={layout.width} />
              <text class="step-number" x="34" y={row.top + row.height / 2 + 4}>
                {bad ? '▶' : ''}
                {step.step}
              </text>
              <StepRow run={run} step={step} row={row} layout={layout} />
            </g>
          );
        })}
        {violating > 0 && (
          <text class="violation-note" x="8" y={last.top + last.height + 22}>
            ✗ {shortened(translate(run[0].violates ?? ''))}
          </text>
        )}
      </svg>
      {loop !== undefined && (
        <p class="diagram-note">{say('diagram.repeats', { from: loop, to: steps.length })}</p>
      )}
    </div>
  );
}

function stepClass(step: number, shown: number, bad: boolean): string {
  const names = ['step'];
  if (step === shown) names.push('shown');
  if (step > shown) names.push('later');
  if (bad) names.push('violating');
  return names.join(' ');
}

function Band({ row, width }: { row: Row; width: number }) {
  return <rect class="band" x="1" y={row.top} width={width - 2} height={row.height} rx="5" />;
}

function Loop({ from, to }: { from: number; to: number }) {
  return <path class="loop" d={`M9 ${from + 6}H4V${to - 6}H9M6 ${from + 2}l4 4l-4 4`} />;
}

function StartValues({ run, row, x, hidden }: { run: RunLines; row: Row; x: number; hidden: boolean }) {
  const world = worldAfter(run, 0);
  const first = storeRows(world, world)[0];
  if (hidden || !first) return null;
  return (
    <text class="label value start" x={x} y={row.top + row.height / 2 + 4}>
      {shortened(first.value)}
    </text>
  );
}
