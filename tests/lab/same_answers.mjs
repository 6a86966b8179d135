// usage: node same_answers.mjs LAB_CALLS LAB_WASM
// Every answer of the laboratory is the same from the native program and from WebAssembly, byte for
// byte: each scenario's search and pictures, random runs, games with advice, and refusals.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { startCalls } from '../../lab/page/src/engine/calls.mjs';

const [program, wasm] = process.argv.slice(2);
const lab = await startCalls(new WebAssembly.Module(fs.readFileSync(wasm)));

const formats = ['svg', 'text', 'mermaid', 'html', 'json', 'schedule'];
const scenarios = JSON.parse(lab('scenarios')).filter((scenario) => !scenario.slow);
const calls = [['scenarios'], ['state'], ['draw', 0, 'svg']];
for (const { name } of scenarios) {
  calls.push(['open', `${name}:`], ['explore', 0], ...formats.map((format) => ['draw', 1, format]));
  calls.push(['random', 300, 7], ['draw', 1, 'text']);
}
calls.push(['open', 'del-setnx-lock,clients=8,attempts=5:'], ['random', 2000, 11], ['draw', 1, 'json']);
calls.push(['open', 'stamp-lock,clients=3,attempts=2,instants=4,faults=crash+lost-reply:'], ['explore', 0]);
calls.push(['open', 'stamp-lock,clients=5,attempts=2,instants=3:'], ['explore', 50000]);
// More states than the memory of a page holds: the search ends, and the page goes on.
calls.push(['open', 'stamp-lock,clients=6,attempts=3,instants=4:'], ['explore', 0]);
calls.push(['open', 'del-setnx-lock:']);
for (const key of '12211122') calls.push(['advice', 0], ['play', key], ['draw', 0, 'svg']);
calls.push(['play', '1'], ['undo'], ['restart'], ['play', 'nonsense'], ['draw', 0, 'nonsense']);
calls.push(['open', 'del-setnx-lock:12211122'], ['draw', 0, 'text'], ['open', 'del-setnx-lock:3']);
calls.push(['compare', 'del-setnx-lock:12211122', 'del-setnx-lock:11221122'], ['compare', 'del-setnx-lock:9', 'nope:']);
calls.push(['fitting', 'del-setnx-lock:1229'], ['fitting', 'starvation-spin:(12)'], ['fitting', 'nope:1']);
calls.push(['open', 'stamp-lock,clients=1:'], ['explore', 0]);
calls.push(['open', 'no such scenario:'], ['open', 'del-setnx-lock'], ['open', 'stamp-lock,clients:'], ['state']);

const lines = calls.map((call) => JSON.stringify(call)).join('\n') + '\n';
const native = execFileSync(program, { input: lines, maxBuffer: 1 << 30 }).toString().trimEnd().split('\n');
let bytes = 0;
calls.forEach((call, n) => {
  const here = lab(...call);
  const there = JSON.parse(native[n]);
  bytes += here.length;
  if (here === there) return;
  let at = 0;
  while (here[at] === there[at]) ++at;
  console.error(`${JSON.stringify(call)}: WebAssembly differs from the native program at ${at}:`);
  console.error(`  native      ...${there.slice(Math.max(0, at - 60), at + 60)}`);
  console.error(`  WebAssembly ...${here.slice(Math.max(0, at - 60), at + 60)}`);
  process.exitCode = 1;
});
if (native.length !== calls.length) throw new Error(`${native.length} answers to ${calls.length} calls`);
console.log(`${scenarios.length} scenarios, ${calls.length} answers, ${bytes} characters compared`);
