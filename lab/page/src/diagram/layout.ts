// Where lanes and rows of the diagram stand, in units of the diagram.
import type { RunLines, RunStep } from '../engine/types';
import { changesOf, serversOf, stepsOf } from '../state/run-words';
import { leaseBars, type LeaseBar } from './lease-bars';

export interface Row {
  step: number;
  top: number;
  height: number;
  exchange: boolean; // a request and its answer, and not one event
}

export interface Layout {
  width: number;
  height: number;
  clients: number[];
  servers: number[];
  head: number;
  rows: Row[];
  bars: LeaseBar[];
  barAt(bar: LeaseBar): number;
  // Where the values of the only server's keys stand.
  values: number;
}

const head = 34;
const startHeight = 26;
const exchangeHeight = 56;
const eventHeight = 34;
const foot = 34;
const firstLane = 50;
const labelRoom = 170;
const barGap = 9;
const barWidth = 12;
const valueGap = 11;
export const valueHeight = 14;

export const isExchange = (step: RunStep) => ['operation', 'write', 'deliver'].includes(step.kind);

// Where in its row a step changes the store.
export const changeAt = (row: Row) => row.top + (row.exchange ? 26 : Math.min(row.height, eventHeight) / 2);

export function layOut(run: RunLines, width: number): Layout {
  const servers = serversOf(run);
  const bars = leaseBars(run);
  const barRoom = barWidth * Math.max(0, ...bars.map((bar) => bar.column + 1));
  const count = run[0].clients.length;
  const valueRoom = barRoom + (servers === 1 ? Math.min(Math.max(width * 0.2, 84), 190) : 24);
  const serverGap = servers === 1 ? 0 : Math.min(Math.max(width * 0.09, 34), 90) + barRoom;
  const store = width - valueRoom - serverGap * (servers - 1);
  const gap = Math.min(Math.max((store - firstLane - labelRoom) / Math.max(count - 1, 1), 30), 210);

  const rows = rowsOf(run, servers === 1);
  const last = rows[rows.length - 1]!;
  const serverAt = Array.from({ length: servers }, (_, index) => store + serverGap * index);
  return {
    width,
    height: last.top + last.height + foot,
    clients: run[0].clients.map((_, index) => firstLane + gap * index),
    servers: serverAt,
    head,
    rows,
    bars,
    barAt: (bar) => (serverAt[bar.server] ?? store) + barGap + barWidth * bar.column,
    values: store + valueGap + barRoom,
  };
}

// Each change of the store has a line beside it, if there is one store to stand beside.
function rowsOf(run: RunLines, withValues: boolean): Row[] {
  const rows: Row[] = [{ step: 0, top: head, height: startHeight, exchange: false }];
  let top = head + startHeight;
  for (const step of stepsOf(run)) {
    const exchange = isExchange(step) && step.kind !== 'deliver';
    const least = exchange ? exchangeHeight : eventHeight;
    const further = withValues ? Math.max(changesOf(run, step.step).length - (exchange ? 2 : 1), 0) : 0;
    rows.push({ step: step.step, top, height: least + further * valueHeight, exchange });
    top += least + further * valueHeight;
  }
  return rows;
}

const letterWidth = 7.3;
const wideLetter = /[\u2e80-\uffef]/;

export function fitted(text: string, room: number): string {
  const columns = Math.max(Math.floor(room / letterWidth), 3);
  const ends: number[] = [];
  for (const letter of text) ends.push((ends.at(-1) ?? 0) + (wideLetter.test(letter) ? 2 : 1));
  if ((ends.at(-1) ?? 0) <= columns) return text;
  const fitting = ends.filter((end) => end < columns).length;
  return [...text].slice(0, fitting).join('') + '…';
}
