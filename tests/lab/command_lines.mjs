// usage: node command_lines.mjs INTERLOCK LAB_WASM
// The command lines that the page shows run in a shell and say what the page says: each scenario's
// search with what is left out of it, its run, the run's file, and the comparison of two runs. And the
// page knows the flags of each command whose line may be pasted there.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startCalls } from '../../lab/page/src/engine/calls.mjs';
import * as flags from '../../lab/page/src/state/program-flags.mjs';

const [program, wasm] = process.argv.slice(2);
const lab = await startCalls(new WebAssembly.Module(fs.readFileSync(wasm)));
const ask = (...call) => JSON.parse(lab(...call));
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'lab-lines-'));
const env = { ...process.env, LC_ALL: 'C.UTF-8', PATH: `${path.dirname(path.resolve(program))}:${process.env.PATH}` };
let lines = 0;

function run(line, code, what = () => true) {
  lines += 1;
  const done = spawnSync('sh', ['-c', line], { cwd: folder, env, encoding: 'utf8' });
  if (done.status === code && what(done.stdout)) return;
  process.exitCode = 1;
  console.error(`${line}\n  ended with ${done.status}, expected ${code}${done.status === code ? ', and said something else' : ''}`);
  console.error(`  ${done.stdout.slice(0, 300)}${done.stderr}`);
}

const flagsOf = (help) => [...help.matchAll(/^ +(?:(-\w), )?(--[\w-]+)(?: [A-Z]+)?  /gm)].flatMap(([, short, long]) => (short ? [short, long] : [long]));
for (const command of ['explore', 'replay', 'play', 'diff', 'shrink', 'graph']) {
  const known = [...flags.bounds, ...flags.withoutValue, ...flags.others];
  const sameFlags = (help) => flagsOf(help).length > 3 && flagsOf(help).every((flag) => known.includes(flag));
  run(`interlock ${command} --help`, 0, sameFlags);
}

const codes = { proved: 0, violated: 1, incomplete: 2, invalid: 64 };
// The page also has the names by which one chooses a property.
const leftOut = ({ left_out: all = [] }) => JSON.stringify(all.map(({ property, why }) => [property, why]));
const sameVerdict = (found) => (text) => {
  const told = JSON.parse(text);
  const same = ['verdict', 'bounds', 'states', 'transitions', 'property', 'steps'];
  return (
    same.every((name) => told[name] === found.verdict[name]) &&
    leftOut(told) === leftOut(found)
  );
};

const sized = [
  'stamp-lock,clients=1:',
  'stamp-lock,clients=3,attempts=2,instants=4,faults=crash+lost-reply:',
  'stamp-lock,clients=1,property=mutual-exclusion:',
  'stamp-lock,property=mutual-exclusion,instants=5:',
  'lease-lock,clients=1:',
  'lease-lock,clients=2,instants=4,property=mutual-exclusion:',
  'lock-order-deadlock,deadlock=allowed:',
];
const names = ask('scenarios').filter((scenario) => !scenario.slow).map(({ name }) => `${name}:`);
for (const short of [...names, ...sized]) {
  const opened = ask('open', short);
  const found = ask('explore', 0);
  run(`${opened.explore} --json`, codes[found.verdict.verdict], sameVerdict(found));
  if (found.verdict.verdict !== 'violated') continue;
  const broken = ask('open', found.short);
  run(broken.replay, 1);
  fs.writeFileSync(path.join(folder, 'run.jsonl'), lab('draw', 0, 'json'));
  run('interlock replay run.jsonl', 1);
  run(`interlock diff run.jsonl '${found.short}'`, 0, (text) => text.includes('the same'));
}

// The first line with a sign is that of the first difference.
const pairs = [
  ['del-setnx-lock:12211122', 'del-setnx-lock:11221122'],
  ['del-setnx-lock:12211122', 'del-setnx-lock:1221'],
  ['del-setnx-lock:12211122', 'del-setnx-lock-recheck:1221112'],
  ['stamp-lock:11', 'stamp-lock:21'],
];
for (const [one, other] of pairs) {
  const { alike } = ask('compare', one, other);
  run(`interlock diff '${one}' '${other}'`, 1, (text) => {
    const first = /^ *(\d+) +[-+] /m.exec(text);
    return first && Number(first[1]) === alike + 1;
  });
}
fs.rmSync(folder, { recursive: true });
console.log(`${lines} command lines run`);
