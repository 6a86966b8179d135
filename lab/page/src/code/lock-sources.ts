// The code of the locks, as packing/lock-sources.mjs has found it.
import type { TaskLine } from '../engine/types';

export interface CodeFunction {
  file: string;
  line: number; // of its first line
  text: string;
}

export interface LockSources {
  functions: CodeFunction[];
  // In which functions the clients of a scenario wait.
  scenarios: Record<string, number[]>;
}

export const linesOf = (code: CodeFunction) => code.text.split('\n');

// `StampLock::try_acquire`
export const nameOf = (code: CodeFunction) =>
  /^[^/\s].*?([\w:~]+)\(/m.exec(code.text)?.[1] ?? code.file;

export const holds = (code: CodeFunction, { file, line }: TaskLine) =>
  code.file === file && code.line <= line && line < code.line + linesOf(code).length;

// The functions of a scenario, and those to which its run has come besides.
export function functionsOf(sources: LockSources, scenario: string, lines: TaskLine[]): CodeFunction[] {
  const known = sources.scenarios[scenario] ?? [];
  const met = lines.map((line) => sources.functions.findIndex((code) => holds(code, line)));
  return [...new Set([...known, ...met])].flatMap((index) => sources.functions[index] ?? []);
}
