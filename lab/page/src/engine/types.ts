// The shapes of the engine's answers.

export type Family = 'locks' | 'setnx' | 'ttl' | 'waiting' | 'replication';

export interface RepairChoice {
  scenario: string;
  what: string;
  right: boolean;
  answer: string;
}

export interface Scenario {
  name: string;
  family: Family;
  summary: string;
  protocol: string;
  outcome: string;
  property: string;
  steps: number;
  faults: number;
  explanation: string;
  fix: string;
  repairs_what: string;
  slow: boolean;
  // Those in which the lesson is searched.
  bounds: string;
  has_clients: boolean;
  has_attempts: boolean;
  stale: { learned: number; acted: number } | null;
  repairs: RepairChoice[];
  sources: string[];
}

export interface Move {
  key: string;
  mover: string;
  text: string;
  fault: boolean;
}

export interface StoredKey {
  server: number;
  key: string;
  value: string;
  remaining_ms?: number;
}

export interface ClientView {
  name: string;
  status: string;
  inside: string[];
  wants: string[];
  next: string;
}

export interface World {
  time_ms: number;
  keys: StoredKey[];
  clients: ClientView[];
  resources: { name: string; greatest_token?: string; last_writer?: string }[];
  faults: number;
}

export interface RunHead {
  event: 'run';
  scenario: string;
  clients: string[];
  clocks_start_at_ms?: number;
  // The run in one line, in a file that a program wrote.
  replay?: string;
  steps: number;
  loop?: number;
  violates?: string;
  violating_step?: number;
  before: World;
}

export interface RunStep {
  event: 'step';
  step: number;
  kind: string;
  client?: string;
  task?: string;
  fault?: string;
  what: string;
  reply?: string;
  server: number;
  applied: boolean;
  delivered: boolean;
  note?: string;
  violates?: string;
  after: World;
}

export type RunLines = [RunHead, ...RunStep[]];

// Where a task of a client waits: a line of the sources.
export interface TaskLine {
  task: string;
  file: string;
  line: number;
}

// `word` is how options write it.
export interface PropertyChoice {
  word: string;
  name: string;
}

export interface GameState {
  name: string;
  options: [string, string][];
  standing: 'open' | 'won' | 'over';
  bounds: string;
  short: string;
  replay: string;
  explore: string;
  goals: { property: string; text: string }[];
  // What can be asked of the scenario; some properties only if they are chosen.
  properties: PropertyChoice[];
  servers: number;
  moves: Move[];
  // The clients that cannot move now.
  still: string[];
  store: string[];
  run: RunLines;
  // Before the first step and after each: the lines of each client's tasks.
  lines: TaskLine[][][];
}

export interface Verdict {
  verdict: 'violated' | 'proved' | 'incomplete' | 'invalid';
  scenario: string;
  bounds: string;
  trusts: string[];
  reason?: string;
  property?: string;
  steps?: number;
  // The step from which the run repeats for ever.
  loop?: number;
  states: number;
  transitions: number;
}

export interface Found {
  verdict: Verdict;
  // What was looked for.
  properties: PropertyChoice[];
  // Properties that are vacuous within the bounds: nothing is said about them.
  left_out: { property: string; names: string[]; why: string }[];
  short: string;
  run: RunLines;
}

export interface ComparedRun {
  name: string;
  options: [string, string][];
  bounds: string;
  short: string;
  run: RunLines;
}

// Steps are counted from 1; a row has a step of one run, of the other, or of both.
export interface ComparedRow {
  one?: number;
  other?: number;
  same: boolean;
}

export interface Comparison {
  one: ComparedRun;
  other: ComparedRun;
  // The steps of the common beginning.
  alike: number;
  rows: ComparedRow[];
}

// What is wrong with a run that the engine refuses.
export type WrongPart = 'form' | 'scenario' | 'options' | 'steps';

export interface Advice {
  outcome: string;
  reason: string;
  steps: number;
  next: Move | null;
}

// The steps to a violation, each with the run in which it is the next one.
export interface Way {
  advice: Advice;
  // No run at all breaks the lock, whatever was done so far.
  never: boolean;
  steps: { short: string; move: Move }[];
}

export interface SearchProgress {
  states: number;
  transitions: number;
  depth: number;
}
