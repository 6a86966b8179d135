// What a repair's verdict is about, beside its lesson.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startEngine } from './engine.mjs';
import { openPage, startBrowser } from './page.mjs';

let browser;
let context;

before(async () => {
  browser = await startBrowser();
  context = await browser.newContext();
  context.setDefaultTimeout(120_000);
});
after(() => browser.close());

// Repairs are offered to those who have broken the lock.
const call = await startEngine();
const brokenRun = (lesson) => {
  call('open', `${lesson}:`);
  return JSON.parse(call('explore', 0)).short;
};

async function tryRepair(lesson, change) {
  const page = await openPage(context, `#${brokenRun(lesson)}`);
  await page.getByRole('button', { name: change, exact: true }).click();
  const result = page.locator('.repair-result');
  await result.waitFor();
  return { page, said: await result.innerText() };
}

test('a proof names what is proved, and that the lesson’s goal is not among it', async () => {
  const { page, said } = await tryRepair('evicted', 'fencing tokens, checked by the resource');
  assert.match(said, /Proved: no stale write to database after a newer one; fencing tokens of deploy grow/);
  assert.match(said, /did not look for a violation of “mutual exclusion”, which may still happen/);
  assert.match(said, /proved within other bounds than this lesson’s/);
  assert.match(said, /This lesson: time stands still\. The change: 2 instants 1000 ms apart\./);
  await page.getByRole('button', { name: '中文' }).click();
  const chinese = await page.locator('.repair-result').innerText();
  assert.match(chinese, /没有检查“互斥”/);
  assert.match(chinese, /本课：时间静止.*这个改动：2 个时刻/);
  await page.getByRole('button', { name: 'English' }).click();
});

test('a proof of the lesson’s own goal within its own bounds needs no such sentence', async () => {
  const { said } = await tryRepair('del-setnx-lock', 'replace the stamp by GETSET, and look at what was there before');
  assert.match(said, /Repaired, and proved within these bounds\./);
  assert.match(said, /Proved: mutual exclusion of lock\.foo/);
  assert.doesNotMatch(said, /may still happen|The bounds differ/);
});

test('a wrong repair with other bounds than the lesson’s says so', async () => {
  const { said } = await tryRepair('starvation-spin', 'sleep a second after each release');
  assert.match(said, /This lesson: time stands still\. The change: time without end, instants 1000 ms apart\./);
});

test('other faults are said', async () => {
  const { said } = await tryRepair('redlock-restart-no-disk', 'appendfsync always: a server restarts with what it has granted');
  assert.match(said, /\(restart-empty 1\)\. The change: at most 1 fault \(restart 1\)/);
});
