// What `interlock explore --format json` has written: one JSON object on each line, those of a run
// and then that of a verdict, or either alone. Every value is checked: what is shown was written.
import type { RunHead, RunLines, RunStep, Verdict, World } from '../engine/types';
import { fields, from, isFields, listOf, named, oneOf, perhaps, text, truth, whole, type Check } from './checks';

export interface RunFile {
  run?: RunLines;
  verdict?: Verdict;
}

export type Problem =
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

const isHead = fields({
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
});

const isStep = fields({
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
});

const isVerdict = fields({
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
});

const isOf = ({ clients }: World, names: string[]) =>
  clients.length === names.length && clients.every(({ name }, index) => name === names[index]);

const headFits = ({ clients, before, steps, loop, violates, violating_step: step }: RunHead) =>
  clients.length > 0 &&
  new Set(clients).size === clients.length &&
  isOf(before, clients) &&
  (loop ?? 1) <= steps + 1 &&
  (step ?? 0) <= steps &&
  (violates === undefined) === (step === undefined);

const stepFits = (step: RunStep, run: RunLines) =>
  step.step === run.length &&
  isOf(step.after, run[0].clients) &&
  (step.client === undefined || run[0].clients.includes(step.client));

// The step that the head names is the first that breaks something, and breaks that.
function violationFits([head, ...steps]: RunLines): boolean {
  const first = steps.find((step) => step.violates !== undefined);
  return first?.step === head.violating_step && first?.violates === head.violates;
}

function verdictFits(verdict: Verdict, run: RunLines | undefined): boolean {
  if (!run) return verdict.verdict !== 'violated';
  const violated = verdict.verdict === 'violated' && verdict.property !== undefined;
  return (
    violated &&
    verdict.steps === run.length - 1 &&
    verdict.scenario === run[0].scenario &&
    verdict.property === run[0].violates
  );
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
    if (!run && !verdict) throw new NoRun('no-run', 0);
    if (run && run.length - 1 !== run[0].steps) throw new NoRun('ends', this.end);
    if (run && !violationFits(run)) throw new NoRun('no-head', 1);
    if (verdict && !verdictFits(verdict, run)) throw new NoRun('no-verdict', this.end);
    return this.file;
  }

  private head(line: unknown, at: number) {
    const head = this.checked<RunHead>(line, isHead, headFits, 'no-head', at);
    if (this.file.run || this.file.verdict) throw new NoRun('no-head', at);
    if (head.steps > mostSteps) throw new NoRun('long', at);
    this.file.run = [head];
  }

  private step(line: unknown, at: number) {
    const { run, verdict } = this.file;
    if (!run || verdict || run.length > run[0].steps) throw new NoRun('no-step', at);
    run.push(this.checked<RunStep>(line, isStep, (step) => stepFits(step, run), 'no-step', at));
  }

  private verdict(line: unknown, at: number) {
    if (this.file.verdict) throw new NoRun('no-verdict', at);
    this.file.verdict = this.checked<Verdict>(line, isVerdict, () => true, 'no-verdict', at);
  }

  private checked<Line>(line: unknown, check: Check, fits: (line: Line) => boolean, what: Problem, at: number): Line {
    if (!check(line) || !fits(line as Line)) throw new NoRun(what, at);
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
