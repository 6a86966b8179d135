// The code of the locks for the page: each function of the sources in which a client may wait, and in
// which of them the clients of each scenario do.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startCalls } from '../src/engine/calls.mjs';

const folders = ['catalogue/src', 'flawed/src', 'core/src'];
const games = 4;
const mostSteps = 40;

// --- functions -----------------------------------------------------------------------------------

const isOpening = (line, indent) =>
  line.startsWith(' '.repeat(indent)) && /^[A-Za-z~]/.test(line.slice(indent)) && !line.startsWith('namespace');

// The lines are those of clang-format: a definition begins at its scope's indent, and `}` ends it
// there.
function around(lines, at, indent) {
  let first = at;
  while (first >= 0 && !isOpening(lines[first], indent)) first -= 1;
  let last = at;
  while (last < lines.length && !lines[last].startsWith(`${' '.repeat(indent)}}`)) last += 1;
  if (first < 0 || last === lines.length) return null;
  if (/^(final )?class |^struct /.test(lines[first].slice(indent))) return around(lines, at, indent + 2);
  while (first > 0 && lines[first - 1].startsWith(`${' '.repeat(indent)}//`)) first -= 1;
  return { first, last, indent };
}

export function functionsOf(file, text) {
  const lines = text.split('\n');
  const found = [];
  lines.forEach((line, at) => {
    if (!/\bco_await\b/.test(line) || /^\s*\/\//.test(line) || at <= (found.at(-1)?.last ?? -1)) return;
    const place = around(lines, at, 0);
    if (place) found.push(place);
  });
  return found.map(({ first, last, indent }) => ({
    file,
    line: first + 1,
    text: lines.slice(first, last + 1).map((line) => line.slice(indent)).join('\n'),
  }));
}

const filesBelow = (root, folder) =>
  readdirSync(join(root, folder), { recursive: true })
    .map((name) => `${folder}/${name}`)
    .filter((name) => /\.[ch]pp$/.test(name))
    .sort();

// --- where clients wait --------------------------------------------------------------------------

// Games in which the choice of each move depends on nothing but its number.
function* linesOf(call, name) {
  for (let game = 0; game < games; game += 1) {
    let state = JSON.parse(call('open', `${name}:`));
    let chance = 7 * game + 1;
    for (let step = 0; step < mostSteps && state.moves?.length > 0; step += 1) {
      chance = (Math.imul(chance, 1103515245) + 12345) >>> 0;
      const usual = state.moves.filter((move) => !move.fault || chance % 8 === 0);
      const among = usual.length > 0 ? usual : state.moves;
      state = JSON.parse(call('play', among[(chance >>> 16) % among.length].key));
    }
    yield* JSON.parse(call('lines')).flat(2);
  }
}

const holds = (code, { file, line }) =>
  code.file === file && code.line <= line && line < code.line + code.text.split('\n').length;

// Leaves out the files in which nobody waits. In the others a longer run may come to any function.
function inUse(functions, scenarios) {
  const files = new Set(Object.values(scenarios).flat().map((index) => functions[index].file));
  const kept = functions.filter(({ file }) => files.has(file));
  const renumbered = Object.entries(scenarios).map(([name, indices]) => [
    name,
    indices.map((index) => kept.indexOf(functions[index])),
  ]);
  return { functions: kept, scenarios: Object.fromEntries(renumbered) };
}

export async function lockSources(root, engine) {
  const call = await startCalls(new WebAssembly.Module(readFileSync(engine)));
  const functions = folders
    .flatMap((folder) => filesBelow(root, folder))
    .flatMap((file) => functionsOf(file, readFileSync(join(root, file), 'utf8')));
  const scenarios = {};
  for (const { name } of JSON.parse(call('scenarios'))) {
    const stood = new Set();
    for (const line of linesOf(call, name)) stood.add(functions.findIndex((code) => holds(code, line)));
    stood.delete(-1);
    scenarios[name] = [...stood];
  }
  return inUse(functions, scenarios);
}
