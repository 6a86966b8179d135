// What `interlock explore --format json` has written: one JSON object on each line, those of a run
// and then that of a verdict, or either alone. Every value is checked: what is shown was written.
import type { RunHead, RunLines, RunStep, Verdict, World } from '../engine/types';
import { fields, from, listOf, named, oneOf, perhaps, text, truth, whole, wrongField, isFields, type Check } from './checks';

export interface RunFile {
  run?: RunLines;
  verdict?: Verdict;
}

export type Problem =
  | 'empty'
  | 'no-json'
  | 'no-run'
  | 'no-head'
  | 'no-step'
  | 'no-verdict'
  | 'ends'
  | 'long'
  | 'no-short-form'
  | 'no-replay'
  | 'contradicts';

// What is wrong with a file, and where. Line 0: with the whole file.
export class NoRun extends Error {
  constructor(
    readonly what: Problem,
    readonly line: number,
    readonly values: Record<string, string> = {},
  ) {
    super(`${what} in line ${line}`);
  }
}

// A longer run could not be looked at.
export const mostSteps = 2000;
const mostClients = 8;
const mostServers = 16;

const server = from(0, mostServers - 1);

const isWorld = fields({
  time_ms: from(0),
  keys: listOf(fields({ server, key: text, value: text, remaining_ms: perhaps(whole) })),
  clients: listOf(
    fields({
      name: named,
      status: oneOf('not_started', 'running', 'done', 'crashed'),
      inside: listOf(text),
      wants: listOf(text),
      next: text,
    }),
    mostClients,
  ),
  resources: listOf(fields({ name: text, greatest_token: perhaps(text), last_writer: perhaps(text) })),
  faults: from(0),
});

const headFields = {
  v: perhaps(oneOf(1)),
  scenario: named,
  clients: listOf(named, mostClients),
  clocks_start_at_ms: perhaps(whole),
  replay: perhaps(named),
  steps: from(0),
  loop: perhaps(from(1)),
  violates: perhaps(named),
  violating_step: perhaps(from(1)),
  before: isWorld,
};

const stepFields = {
  v: perhaps(oneOf(1)),
  step: from(1),
  kind: oneOf('start', 'operation', 'deliver', 'wake', 'leave', 'write', 'late', 'time', 'fault'),
  client: perhaps(named),
  task: perhaps(text),
  fault: perhaps(named),
  what: text,
  reply: perhaps(text),
  server,
  applied: truth,
  delivered: truth,
  note: perhaps(text),
  violates: perhaps(named),
  after: isWorld,
};

const verdictFields = {
  v: perhaps(oneOf(1)),
  verdict: oneOf('violated', 'proved', 'incomplete', 'invalid'),
  scenario: named,
  bounds: named,
  trusts: listOf(text),
  reason: perhaps(text),
  property: perhaps(named),
  steps: perhaps(from(0)),
  loop: perhaps(from(1)),
  states: from(0),
  transitions: from(0),
};

const isOf = ({ clients }: World, names: string[]) =>
  clients.length === names.length && clients.every(({ name }, index) => name === names[index]);

// Each names the field that does not fit the others; empty: all do.
function unfitInHead({ clients, before, steps, loop, violates, violating_step: step }: RunHead): string {
  if (clients.length === 0 || new Set(clients).size !== clients.length) return 'clients';
  if (!isOf(before, clients)) return 'before';
  if ((loop ?? 1) > steps + 1) return 'loop';
  if (violates !== undefined && step === undefined) return 'violating_step';
  return violates === undefined && step !== undefined ? 'violates' : '';
}

function unfitInStep(step: RunStep, run: RunLines): string {
  if (step.step !== run.length) return 'step';
  if (!isOf(step.after, run[0].clients)) return 'after';
  return step.client === undefined || run[0].clients.includes(step.client) ? '' : 'client';
}

// The step that the head names is the first that breaks something, and breaks that.
function unfitViolation([head, ...steps]: RunLines): string {
  const first = steps.find((step) => step.violates !== undefined);
  if (first?.violates !== head.violates) return 'violates';
  return first?.step === head.violating_step ? '' : 'violating_step';
}

function unfitInVerdict(verdict: Verdict, run: RunLines | undefined): string {
  if ((verdict.verdict === 'violated') !== (run !== undefined)) return 'verdict';
  if (!run) return '';
  if (verdict.steps !== run.length - 1) return 'steps';
  if (verdict.scenario !== run[0].scenario) return 'scenario';
  return verdict.property !== undefined && verdict.property === run[0].violates ? '' : 'property';
}

function parse(words: string, line: number): unknown {
  try {
    return JSON.parse(words);
  } catch {
    throw new NoRun('no-json', line);
  }
}

class Reader {
  readonly file: RunFile = {};
  private end = 0;

  take(line: unknown, at: number) {
    const event = isFields(line) ? line.event : undefined;
    if (typeof event !== 'string') throw new NoRun('no-run', at);
    if (event === 'run') this.head(line, at);
    else if (event === 'step') this.step(line, at);
    else if (event === 'verdict') this.verdict(line, at);
    this.end = at;
  }

  whole(): RunFile {
    const { run, verdict } = this.file;
    if (this.end === 0) throw new NoRun('empty', 0);
    if (!run && !verdict) throw new NoRun('no-run', 0);
    if (run && run.length - 1 !== run[0].steps) {
      throw new NoRun('ends', this.end, { said: String(run[0].steps), found: String(run.length - 1) });
    }
    if (run) this.refuse(unfitViolation(run), 'no-head', 1);
    if (verdict) this.refuse(unfitInVerdict(verdict, run), 'no-verdict', this.end);
    return this.file;
  }

  private head(line: unknown, at: number) {
    const head = this.checked<RunHead>(line, headFields, unfitInHead, 'no-head', at);
    if (this.file.run || this.file.verdict) this.refuse('event', 'no-head', at);
    if (head.steps > mostSteps) throw new NoRun('long', at);
    this.file.run = [head];
  }

  private step(line: unknown, at: number) {
    const { run, verdict } = this.file;
    if (!run || verdict) throw new NoRun('no-step', at, { field: 'event' });
    if (run.length > run[0].steps) this.refuse('steps', 'no-head', 1);
    run.push(this.checked<RunStep>(line, stepFields, (step) => unfitInStep(step, run), 'no-step', at));
  }

  private verdict(line: unknown, at: number) {
    if (this.file.verdict) this.refuse('event', 'no-verdict', at);
    this.file.verdict = this.checked<Verdict>(line, verdictFields, () => '', 'no-verdict', at);
  }

  private refuse(field: string, what: Problem, at: number) {
    if (field !== '') throw new NoRun(what, at, { field });
  }

  private checked<Line>(line: unknown, checks: Record<string, Check>, unfit: (line: Line) => string, what: Problem, at: number): Line {
    this.refuse(wrongField(line, checks), what, at);
    this.refuse(unfit(line as Line), what, at);
    return line as Line;
  }
}

export function readRun(words: string): RunFile {
  const reader = new Reader();
  words
    .replace(/^\uFEFF/, '')
    .split('\n')
    .forEach((line, at) => {
      if (line.trim() !== '') reader.take(parse(line, at + 1), at + 1);
    });
  return reader.whole();
}
