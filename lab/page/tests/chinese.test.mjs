// The page in Chinese.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPage, press, useBrowser } from './page.mjs';

const own = useBrowser();

async function openInChinese(hash) {
  const page = await openPage(own.context, hash);
  await page.getByRole('button', { name: '中文' }).click();
  return page;
}

// The lines with words of an English sentence. The code of the lock stays in English.
async function englishOn(page) {
  const words = await page.locator('main').evaluate((main) => {
    const copy = main.cloneNode(true);
    for (const code of copy.querySelectorAll('pre, code')) code.remove();
    main.after(copy);
    const text = copy.innerText;
    copy.remove();
    return text;
  });
  return words.split('\n').filter((line) => /(?<![-.:/])\b(the|and|of|is|its|it|a|an|to|client|lock|which|while)\b(?![-.:/])/.test(line));
}

test('the page speaks Chinese, and remembers it', async () => {
  const page = await openPage(own.context);
  await page.getByRole('button', { name: '中文' }).click();
  assert.equal(await page.locator('h1').innerText(), '攻破这些锁');
  assert.equal(await page.locator('html').getAttribute('lang'), 'zh-CN');
  await page.reload();
  await page.locator('.map').waitFor();
  assert.equal(await page.locator('h1').innerText(), '攻破这些锁');
});

test('a lesson is read and repaired in Chinese', async () => {
  const page = await openPage(own.context);
  await page.getByRole('button', { name: '中文' }).click();
  await page.locator('.card', { hasText: 'setnx-crash' }).first().click();
  assert.match(await page.locator('.goal').innerText(), /让所有客户端都结束之后，lock\.foo 永远留下。/);
  await press(page, '1');
  assert.match(await page.locator('.step-words').innerText(), /^第 1 步。A：SETNX lock\.foo/);
  await page.locator('.faults .move', { hasText: 'A 崩溃' }).first().click();
  await page.locator('.outcome-won').waitFor();
  await page.locator('.why .step-mention', { hasText: '第 2 步（A 崩溃）' }).click();
  assert.equal(await page.locator('.step.shown').getAttribute('data-step'), '2');
  await page.getByRole('button', { name: 'SET key token NX PX ttl' }).click();
  await page.locator('.verdict-proved').waitFor();
  assert.deepEqual(await englishOn(page), []);
  assert.deepEqual(page.complaints, []);
});

test('two runs are compared in Chinese', async () => {
  const page = await openInChinese('#del-setnx-lock:12211122&with=del-setnx-lock:1122');
  await page.locator('.comparison').waitFor();
  await page.getByText('两个执行过程的图').click();
  await page.locator('.compared-diagrams .diagram').first().waitFor();
  assert.match(await page.locator('.compared-head').first().innerText(), /违反：lock\.foo 的互斥/);
  assert.match(await page.locator('.compared-violates').innerText(), /✗ 违反：lock\.foo 的互斥/);
  assert.deepEqual(await englishOn(page), []);
});

test('searches, hints and refusals speak Chinese', async () => {
  const page = await openInChinese('#del-setnx-lock,clients=1:');
  await page.getByRole('button', { name: '搜索所有执行过程' }).click();
  await page.locator('.bounds .verdict').waitFor();
  await page.keyboard.press('h');
  await page.locator('.hint').filter({ hasText: /。$/ }).waitFor();
  await page.locator('details').evaluateAll((all) => all.forEach((one) => (one.open = true)));
  assert.deepEqual(await englishOn(page), []);
  await page.getByLabel('时刻数').fill('0');
  await page.getByRole('button', { name: '按这些范围打开，自己操作' }).click();
  assert.match(await page.locator('.bounds [role=alert]').innerText(), /请写 1 到 \d+ 之间的数/);
  await page.goto(`${page.url().split('#')[0]}#del-setnx-lock:19`);
  assert.match(await page.locator('.notice-error').first().innerText(), /第 2 步不成立.*“9”不是步骤/);
  assert.deepEqual(page.complaints, []);
});

test('servers are counted from 1, and a mention is lit with its step', async () => {
  const page = await openInChinese('#redlock-split:');
  await page.getByRole('button', { name: '搜索所有执行过程' }).click();
  const mention = page.locator('.why .step-mention:enabled', { hasText: '第 2 步（' }).first();
  assert.match(await mention.innerText(), /服务器 2 /);
  await mention.hover();
  await page.locator('.step.lit[data-step="2"]').waitFor();
  await mention.click();
  await page.locator('.store tr.store-new', { hasText: 'S2' }).waitFor();
});

test('a mention of a step has the words of its diagram', async () => {
  const page = await openInChinese('#fence-counter-lost-clock:11e122');
  await page.locator('.why .step-mention').first().waitFor();
  assert.doesNotMatch((await page.locator('.why .step-mention').allInnerTexts()).join(' '), /write|leave|server/);
  const time = await openInChinese('#pause-after-acquire-check:1ttt221');
  assert.doesNotMatch(await time.locator('.store').innerText(), /毫秒/);
  assert.match(await time.locator('.store').innerText(), /已过时间：3,000 ms/);
});
