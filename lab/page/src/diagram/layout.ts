// Where lanes and rows of the diagram stand, in units of the diagram.
import type { RunLines, RunStep, StoredKey } from '../engine/types';
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
  // Where the values of each server's keys begin, and how far they may go.
  values: number[];
  valueRoom: number;
}

const head = 34;
const startHeight = 26;
const exchangeHeight = 56;
const eventHeight = 34;
const foot = 10;
const firstLane = 50;
const labelRoom = 170;
const barGap = 9;
const barWidth = 12;
const valueGap = 11;
const leastClientGap = 30;
export const valueHeight = 14;

export const isExchange = (step: RunStep) => ['operation', 'write', 'deliver'].includes(step.kind);

// Where in its row a step changes the store.
export const changeAt = (row: Row) => row.top + (row.exchange ? 26 : Math.min(row.height, eventHeight) / 2);

export function layOut(run: RunLines, width: number): Layout {
  const servers = serversOf(run);
  const bars = leaseBars(run);
  const barRoom = barWidth * Math.max(0, ...bars.map((bar) => bar.column + 1));
  const count = run[0].clients.length;
  const clientsRoom = firstLane + leastClientGap * count;
  const wanted = servers === 1 ? Math.min(Math.max(width * 0.24, 84), 190) : Math.min(Math.max(width * 0.11, 46), 120);
  // Beside each server there is room for its values.
  const serverGap = Math.min(wanted + barRoom, (width - clientsRoom) / servers);
  const store = width - serverGap * servers;
  const gap = Math.min(Math.max((store - firstLane - labelRoom) / Math.max(count - 1, 1), leastClientGap), 210);

  const rows = rowsOf(run);
  const last = rows[rows.length - 1]!;
  const serverAt = Array.from({ length: servers }, (_, index) => store + serverGap * index);
  const valueAt = valueGap + barRoom;
  return {
    width,
    height: last.top + last.height + foot,
    clients: run[0].clients.map((_, index) => firstLane + gap * index),
    servers: serverAt,
    head,
    rows,
    bars,
    barAt: (bar) => (serverAt[bar.server] ?? store) + barGap + barWidth * bar.column,
    values: serverAt.map((x) => x + valueAt),
    valueRoom: serverGap - valueAt - 4,
  };
}

// The line beside its server at which a change stands: other changes of the server may stand above it.
export const lineOf = (changes: StoredKey[], change: StoredKey) =>
  changes.filter(({ server }) => server === change.server).indexOf(change);

// Each change of a store has a line beside it.
function rowsOf(run: RunLines): Row[] {
  const rows: Row[] = [{ step: 0, top: head, height: startHeight, exchange: false }];
  let top = head + startHeight;
  for (const step of stepsOf(run)) {
    const exchange = isExchange(step) && step.kind !== 'deliver';
    const least = exchange ? exchangeHeight : eventHeight;
    const changes = changesOf(run, step.step);
    const lines = Math.max(0, ...changes.map((change) => lineOf(changes, change) + 1));
    const further = Math.max(lines - (exchange ? 2 : 1), 0);
    rows.push({ step: step.step, top, height: least + further * valueHeight, exchange });
    top += least + further * valueHeight;
  }
  return rows;
}

const letterWidth = 7.3;
const wideLetter = /[\u2e80-\uffef]/;

// The first text that has room; else the last one, cut.
export function firstFitting(texts: string[], room: number): string {
  return texts.find((text) => fitted(text, room) === text) ?? fitted(texts.at(-1) ?? '', room);
}

export function fitted(text: string, room: number): string {
  const columns = Math.max(Math.floor(room / letterWidth), 3);
  const ends: number[] = [];
  for (const letter of text) ends.push((ends.at(-1) ?? 0) + (wideLetter.test(letter) ? 2 : 1));
  if ((ends.at(-1) ?? 0) <= columns) return text;
  const fitting = ends.filter((end) => end < columns).length;
  return [...text].slice(0, fitting).join('') + '…';
}
