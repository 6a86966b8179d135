// What is wrong with an address, and as much of it as is right.
import { EngineError, type Engine } from '../engine/engine';

export type AddressProblem =
  | { is: 'form'; text: string }
  | { is: 'colons'; text: string; example: string }
  | { is: 'command' }
  // A word of a pasted line, marks behind an address.
  | { is: 'word'; word: string }
  | { is: 'marks'; marks: string }
  // The run is of no lock that may repair this lesson.
  | { is: 'repair'; name: string; run: string }
  | { is: 'scenario'; name: string }
  | { is: 'options'; why: string }
  | { is: 'steps'; kept: number; why: string }
  // All steps fit, and what is written about their end does not: that they repeat for ever.
  | { is: 'end'; kept: number; why: string };

// The engine counts the steps from 1; what it does not count fits as far as `kept` says.
const keptIn = (why: string, kept: number) => {
  const [, step] = /^step (\d+): /.exec(why) ?? [];
  return step === undefined ? kept : Number(step) - 1;
};

const shown = (text: string) => (text.length > 60 ? `${text.slice(0, 60)}…` : text);

// Only what is said of one step names it so.
const isOfLoop = (why: string, short: string) =>
  !/^step \d+: /.test(why) && short.slice(short.lastIndexOf(':')).includes('(');

// Bounds have colons, too (`faults=crash:2`): the engine takes the last one for that before the steps.
function colonsOf(engine: Engine, short: string): AddressProblem | null {
  const [name = '', steps = '', ...more] = short.split(':');
  if (more.length === 0 || !fits(engine, `${name}:`)) return null;
  return { is: 'colons', text: shown(short), example: shown(`${name}:${steps}`) };
}

export function problemOf(engine: Engine, error: unknown, short: string, kept: number): AddressProblem {
  if (!(error instanceof EngineError)) throw error;
  switch (error.wrong) {
    case 'scenario':
      return colonsOf(engine, short) ?? { is: 'scenario', name: shown(short.split(/[,:]/, 1)[0]!) };
    case 'options':
      return { is: 'options', why: error.message };
    case 'steps':
      return isOfLoop(error.message, short)
        ? { is: 'end', kept, why: error.message }
        : { is: 'steps', kept: keptIn(error.message, kept), why: error.message.replace(/^step \d+: /, '') };
    default:
      return { is: 'form', text: shown(short) };
  }
}

function fits(engine: Engine, short: string): boolean {
  try {
    engine.fitting(short);
    return true;
  } catch (error) {
    if (error instanceof EngineError) return false;
    throw error;
  }
}

// The run without the bounds and the steps that do not fit. Null: nothing of it is right.
export function rightPart(engine: Engine, short: string): string | null {
  const colon = short.lastIndexOf(':');
  const [name = '', ...options] = short.slice(0, Math.max(colon, 0)).split(',');
  if (!fits(engine, `${name}:`)) return null;
  let head = name;
  for (const option of options) {
    if (fits(engine, `${head},${option}:`)) head += `,${option}`;
  }
  return engine.fitting(`${head}:${short.slice(colon + 1)}`);
}
