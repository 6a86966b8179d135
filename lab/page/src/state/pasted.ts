// What a reader may paste to open a run: its short form, a line of the terminal, an address of this
// page, or the name of a lesson.
import { readAddress, type Address } from './address';
import type { AddressProblem } from './address-problem';

// Flags of the program without a value.
const toggles = ['--json', '--no-symmetry', '--ascii', '--help', '-h', '--allow-deadlock'];
const boundFlags = ['clients', 'attempts', 'instants', 'faults', 'property'];
// Those of a search or of a file, which change nothing that the page opens.
const otherFlags = ['max-states', 'max-memory', 'seconds', 'random', 'pct', 'seed', 'apart', 'servers', 'patience', 'threads', 'store', 'format', 'output'];
const valueFlags = ['-f', '-o', ...[...boundFlags, ...otherFlags].map((name) => `--${name}`)];

// The words of a line as a shell divides it.
function wordsOf(line: string): string[] {
  const words = line.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [];
  return words.map((word) => word.replace(/'([^']*)'|"([^"]*)"/g, (_, one, other) => one ?? other ?? ''));
}

function readFlags(words: string[]) {
  const operands: string[] = [];
  const options: string[] = [];
  let unknown = '';
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at]!;
    if (!word.startsWith('-') || word === '-') {
      operands.push(word);
      continue;
    }
    if (word === '--allow-deadlock') options.push('deadlock=allowed');
    const [flag, said] = word.split(/=(.*)/s, 2) as [string, string | undefined];
    if (toggles.includes(flag)) continue;
    if (!valueFlags.includes(flag)) {
      unknown ||= word;
      continue;
    }
    const value = said ?? words[(at += 1)] ?? '';
    const name = flag.slice(2);
    if (boundFlags.includes(name)) options.push(`${name}=${value.replaceAll(',', '+')}`);
  }
  return { operands, options, unknown };
}

const asRun = (word: string, options: string[] = []) =>
  word.includes(':') ? word : [word, ...options].join(',') + ':';

const wrongWord = (word: string): AddressProblem => ({ is: 'word', word: word.slice(0, 60) });

// A line may be about a command, whose clients are not on this page.
export function readPasted(text: string): Address | AddressProblem {
  const line = text.trim().replace(/^\$ /, '');
  const mark = line.indexOf('#');
  if (mark >= 0 && (mark === 0 || /^\w+:\/\//.test(line))) return readAddress(line.slice(mark));
  // An address without its mark.
  if (/^[\w-]+[^\s&]*&(\w+=|\w+$)/.test(line)) return readAddress(line);
  const words = wordsOf(line);
  const program = /(?:^|\/)interlock$/.test(words[0] ?? '');
  const given = program ? words.slice(2) : words;
  const { operands, options, unknown } = readFlags(given.filter((word) => word !== '--'));
  const [first = '', second] = operands;
  if (given.includes('--') || / -- /.test(line) || /^command\b(?!-)/.test(first)) return { is: 'command' };
  const isDiff = program && words[1] === 'diff';
  const extra = unknown || operands[isDiff ? 2 : 1];
  if (extra) return wrongWord(extra);
  if (isDiff && second) {
    return { is: 'comparison', one: asRun(first), other: asRun(second), repairOf: '' };
  }
  return { is: 'run', short: asRun(first, options), repairOf: '' };
}
