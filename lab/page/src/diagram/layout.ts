// Where lanes and rows of the diagram stand, in units of the diagram.
import type { RunLines, RunStep } from '../engine/types';
import { serversOf, stepsOf } from '../state/run-words';

export interface Row {
  step: number;
  top: number;
  height: number;
}

export interface Layout {
  width: number;
  height: number;
  clients: number[];
  servers: number[];
  head: number;
  rows: Row[];
}

const head = 34;
const startHeight = 26;
const exchangeHeight = 56;
const eventHeight = 34;
const foot = 34;
const firstLane = 50;
const labelRoom = 170;

export const isExchange = (step: RunStep) => ['operation', 'write', 'deliver'].includes(step.kind);

export function layOut(run: RunLines, width: number): Layout {
  const servers = serversOf(run);
  const count = run[0].clients.length;
  const valueRoom = servers === 1 ? Math.min(Math.max(width * 0.2, 84), 190) : 24;
  const serverGap = servers === 1 ? 0 : Math.min(Math.max(width * 0.09, 34), 90);
  const store = width - valueRoom - serverGap * (servers - 1);
  const gap = Math.min(Math.max((store - firstLane - labelRoom) / Math.max(count - 1, 1), 30), 210);

  const rows: Row[] = [{ step: 0, top: head, height: startHeight }];
  let top = head + startHeight;
  for (const step of stepsOf(run)) {
    const height = isExchange(step) && step.kind !== 'deliver' ? exchangeHeight : eventHeight;
    rows.push({ step: step.step, top, height });
    top += height;
  }
  return {
    width,
    height: top + foot,
    clients: run[0].clients.map((_, index) => firstLane + gap * index),
    servers: Array.from({ length: servers }, (_, index) => store + serverGap * index),
    head,
    rows,
  };
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
