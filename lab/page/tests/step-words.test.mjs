// How moves, steps and hints say what happens.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openPage, startBrowser } from './page.mjs';

let browser;
let context;

before(async () => {
  browser = await startBrowser();
  context = await browser.newContext();
  context.setDefaultTimeout(120_000);
});
after(() => browser.close());

const wordsAt = async (hash) => {
  const page = await openPage(context, hash);
  return { page, words: await page.locator('.step-words').innerText() };
};

test('a client that wakes up does not sleep', async () => {
  const { page, words } = await wordsAt('#starvation-spin-pause:1211t1');
  assert.match(words, /Step 6\. A: wakes up/);
  assert.equal(await page.locator('.diagram .step.shown', { hasText: 'wakes up' }).count(), 1);
  await page.getByRole('button', { name: '中文' }).click();
  assert.match(await page.locator('.step-words').innerText(), /A：醒来/);
  await page.getByRole('button', { name: 'English' }).click();
});

test('a key whose server’s clock is set forward has expired', async () => {
  const { page, words } = await wordsAt('#redlock-server-clock-jump:1C1');
  assert.match(words, /Step 2\..*lock\.foo: expired/);
  assert.match(await page.locator('.store tbody').innerText(), /expired/);
});

test('where there are several servers a step says which one', async () => {
  const { page, words } = await wordsAt('#redlock-split:12');
  assert.match(words, /Step 2\. B: SETNX lock\.foo B#1 on server 2/);
  await page.getByRole('button', { name: '中文' }).click();
  assert.match(await page.locator('.step-words').innerText(), /SETNX lock\.foo B#1（服务器 2）/);
  assert.match(await page.locator('.movers').innerText(), /SETNX lock\.foo A#1（服务器 2）/);
  await page.getByRole('button', { name: 'English' }).click();
});

test('a hint names owner tokens as steps do, and claims no least number of steps', async () => {
  const page = await openPage(context, '#semaphore-skew:');
  await page.locator('.bench').waitFor();
  for (const said of [/by this way in 4 more steps/, /next to move/, /Take 1: A, .*permit-1 103:A#1 100/]) {
    await page.keyboard.press('h');
    await page.locator('.hint').filter({ hasText: said }).waitFor();
  }
});
