// One step: its request and its answer, or the event that it is.
import type { RunLines, RunStep } from '../engine/types';
import { changesOf, clockOf, expires, keysOf, lasting, replyOf, shortened, whatOf, type StoreRow } from '../state/run-words';
import { useSay, useTranslate } from '../state/texts';
import { answerOf, isHeard, requestOf, type Passage } from './exchange';
import { changeAt, firstFitting, fitted, isExchange, lineOf, valueHeight, type Layout, type Row } from './layout';
import { timeLeft } from './lease-lanes';

interface Props {
  run: RunLines;
  step: RunStep;
  row: Row;
  layout: Layout;
}

export function StepRow(props: Props) {
  const { step } = props;
  return (
    <>
      {isExchange(step) ? <Exchange {...props} /> : <Event {...props} />}
      <StoreChanges {...props} />
    </>
  );
}

function Exchange({ run, step, row, layout }: Props) {
  const translate = useTranslate();
  const client = run[0].clients.indexOf(step.client ?? '');
  const from = layout.clients[client] ?? 0;
  const to = layout.servers[step.server] ?? layout.servers[0]!;
  const delivery = step.kind === 'deliver';
  const asked = row.top + 16;
  const heard = row.top + (delivery ? 16 : 36);
  const middle = row.top + (delivery ? 6 : 26);
  const room = to - from - 14;
  return (
    <g class={`client-${client}`}>
      <Arrow passage={requestOf(step)} from={[from, asked]} to={[to - 3, middle - 1]} client={client} />
      <Arrow
        passage={answerOf(step)}
        from={[to, middle + 1]}
        to={[from + 5, heard]}
        client={client}
        answer
      />
      {!delivery && (
        <text class="label" x={from + 10} y={asked - 4}>
          {fitted(shortened(translate(step.what)), room)}
        </text>
      )}
      {isHeard(step) && (
        <text class="label reply" x={from + 10} y={heard + 14}>
          {fitted(`← ${translate(replyOf(step))}`, room)}
        </text>
      )}
    </g>
  );
}

type Point = [number, number];

interface ArrowProps {
  passage: Passage;
  from: Point;
  to: Point;
  client: number;
  answer?: boolean;
}

// A request or an answer; one that does not arrive ends on the way.
function Arrow({ passage, from, to, client, answer = false }: ArrowProps) {
  if (passage === 'none') return null;
  const arrives = passage === 'arrives';
  const part = arrives ? 1 : 0.45;
  const [x, y] = [from[0] + (to[0] - from[0]) * part, from[1] + (to[1] - from[1]) * part];
  return (
    <>
      <path
        class={`arrow ${answer ? 'answer' : ''} ${arrives ? '' : 'stopped'}`}
        marker-end={arrives ? `url(#head-${client})` : undefined}
        d={`M${from[0]} ${from[1]}L${x} ${y}`}
      />
      {passage === 'lost' && <Cross x={x} y={y} />}
      {passage === 'pending' && <circle class="dot" cx={x} cy={y} r="4" />}
    </>
  );
}

function Event({ run, step, row, layout }: Props) {
  const translate = useTranslate();
  const middle = row.top + row.height / 2;
  const client = run[0].clients.indexOf(step.client ?? '');
  if (step.kind === 'time') {
    return (
      <g class="time">
        <path class="time-line" d={`M42 ${middle}H${layout.servers[layout.servers.length - 1]}`} />
        <text class="label" x={(layout.clients[0] ?? 0) + 10} y={middle - 4}>
          {step.what.replace(/^time /, '')} · t = {clockOf(run, step.after)}
        </text>
        <TimeLeft run={run} step={step} row={row} layout={layout} />
      </g>
    );
  }
  const atServer = client < 0 || step.kind === 'late';
  const x = atServer ? (layout.servers[step.server] ?? layout.servers[0]!) : layout.clients[client]!;
  const what = shortened(translate(step.fault ?? whatOf(step)));
  const text = step.kind === 'late' ? `${step.client}: ${what}` : what;
  const room = atServer ? x - 60 : layout.servers[0]! - x - 14;
  return (
    <g class={client < 0 ? 'world' : `client-${client}`}>
      {step.fault ? <Cross x={x} y={middle} /> : <circle class="dot" cx={x} cy={middle} r="4" />}
      <text
        class={step.fault ? 'label fault' : 'label'}
        x={atServer ? x - 11 : x + 11}
        y={middle + 4}
        text-anchor={atServer ? 'end' : 'start'}
      >
        {fitted(text, room)}
      </text>
    </g>
  );
}

function Cross({ x, y }: { x: number; y: number }) {
  return <path class="cross" d={`M${x - 5} ${y - 5}l10 10M${x - 5} ${y + 5}l10 -10`} />;
}

// How long the lease has left, when nothing else is to be said of the store.
function TimeLeft({ run, step, row, layout }: Props) {
  const say = useSay();
  const left = timeLeft(run, layout, step.step);
  if (!left || layout.servers.length > 1 || changesOf(run, step.step).length > 0) return null;
  const time = say('step.left', { time: lasting(left.ms) });
  return (
    <text class="label value left" x={layout.values[0]} y={row.top + row.height / 2 + 4}>
      {firstFitting([`${left.key} ${time}`.trim(), time, lasting(left.ms)], layout.valueRoom)}
    </text>
  );
}

// What the step has changed in the store, each key in a line of its own.
function StoreChanges({ run, step, row, layout }: Props) {
  const words = useStoreWords(run, step);
  const changes = changesOf(run, step.step);
  const middle = changeAt(row);
  const room = layout.valueRoom;
  const many = layout.servers.length > 1;
  // The hollow dot says the same, where there is no room for the word.
  const isSaid = (change: StoreRow, said: string) => !many || change.change !== 'gone' || !said.endsWith('…');
  return (
    <>
      {changes.map((change) => {
        const said = firstFitting(words(change), room);
        return (
        <g key={`${change.server} ${change.key}`} class={`store-change store-${change.change}`}>
          <circle class="store-dot" cx={layout.servers[change.server] ?? layout.servers[0]!} cy={middle} r="4.5" />
          {isSaid(change, said) && (
            <text class="label value" x={layout.values[change.server]} y={middle + 4 + valueHeight * lineOf(changes, change)}>
              {said}
            </text>
          )}
        </g>
        );
      })}
    </>
  );
}

// With the key's name, where there are several keys and the room for it.
function useStoreWords(run: RunLines, step: RunStep) {
  const say = useSay();
  return (change: StoreRow): string[] => {
    const left = change.remaining_ms === undefined ? '' : lasting(change.remaining_ms);
    const value =
      change.change === 'gone'
        ? say(expires(step) ? 'store.expired' : 'store.gone')
        : change.change === 'renewed'
          ? `↻ ${left}`
          : shortened(change.value);
    return keysOf(run) > 1 ? [`${change.key}: ${value}`, value] : [value];
  };
}
