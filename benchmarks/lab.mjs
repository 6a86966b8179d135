// usage: node benchmarks/lab.mjs LAB_WASM
// How long the page's engine takes for searches: processor time of three searches in one process,
// the first of which pays for the compiler. Compare with `interlock explore NAME --threads 1`.
import { readFileSync } from 'node:fs';
import { startCalls } from '../lab/page/src/engine/calls.mjs';

const call = await startCalls(new WebAssembly.Module(readFileSync(process.argv[2])));
for (const run of ['lease-lock:', 'stamp-lock,clients=4,attempts=2,instants=3:']) {
  for (let search = 1; search <= 3; search += 1) {
    call('open', run);
    const before = process.cpuUsage().user;
    const { verdict } = JSON.parse(call('explore', 0));
    const took = ((process.cpuUsage().user - before) / 1000).toFixed(0);
    console.log(`${run} search ${search}: ${verdict.states} states, ${verdict.verdict}, ${took} ms`);
  }
}
