// What the engine advises, without a page.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startEngine } from './engine.mjs';

const call = await startEngine();
const ask = (...words) => JSON.parse(call(...words));

function adviceAt(short) {
  assert.equal(ask('open', short).error, undefined);
  return ask('advice', 200_000);
}

// "No run from here breaks it" was said where the second of identical clients would wait.
for (const [steps, mirror] of [['1', '2'], ['12', '21'], ['122', '211'], ['1x1', '2x2'], ['1221', '2112']]) {
  test(`identical clients are advised alike: ${steps} and ${mirror}`, () => {
    const [one, other] = [steps, mirror].map((run) => adviceAt(`dead-waiter-at-head:${run}`));
    assert.equal(one.outcome, 'violated');
    assert.deepEqual([one.outcome, one.steps], [other.outcome, other.steps]);
  });
}
