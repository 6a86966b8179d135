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

test('a move says which of several servers it is about', () => {
  const { moves } = ask('open', 'redlock-server-clock-jump:');
  const clocks = moves.filter(({ key }) => key.startsWith('C')).map(({ text }) => text);
  assert.deepEqual(clocks, [1, 2, 3].map((server) => `server ${server}'s clock is set forward`));
  const asked = ask('open', 'redlock-split:').moves.map(({ text }) => text);
  assert.deepEqual(asked, ['A', 'B', 'C'].map((client, at) => `SETNX lock.foo ${client}#1 on server ${at + 1}`));
  assert.equal(ask('open', 'del-setnx-lock:').moves[0].text.includes('server'), false);
});

test('a search says what it has looked for, and a lesson in which bounds it is', () => {
  const lesson = ask('scenarios').find(({ name }) => name === 'clock-skew');
  assert.match(lesson.bounds, /B's clock 60 s ahead, time stands still/);
  ask('open', 'flush-or-operator-del-repaired:');
  assert.deepEqual(
    ask('explore', 0).properties.map(({ name }) => name),
    ['no stale write to database after a newer one', 'fencing tokens of deploy grow', 'no deadlock'],
  );
});
