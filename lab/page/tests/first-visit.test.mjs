// What the page takes from the browser: its languages, and whether it is touched.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openPage, press, startBrowser } from './page.mjs';

let browser;
before(async () => {
  browser = await startBrowser();
});
after(() => browser.close());

async function visit(options, hash) {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(120_000);
  return { context, page: await openPage(context, hash) };
}

test('at the first visit the page speaks the first of the browser’s languages that it can', async () => {
  for (const [locale, lang] of [['zh-CN', 'zh-CN'], ['zh-TW', 'zh-CN'], ['en-GB', 'en'], ['fr-FR', 'en']]) {
    const { context, page } = await visit({ locale });
    assert.equal(await page.locator('html').getAttribute('lang'), lang, locale);
    await context.close();
  }
});

test('a choice counts for more than the browser’s languages', async () => {
  const { context, page } = await visit({ locale: 'zh-CN' });
  await page.getByRole('button', { name: 'English' }).click();
  await page.reload();
  await page.locator('.map').waitFor();
  assert.equal(await page.locator('html').getAttribute('lang'), 'en');
  await context.close();
});

const phone = { locale: 'zh-CN', viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

test('on a phone steps are tapped, and the panel of moves leaves the diagram two thirds', async () => {
  for (const run of ['redlock-split:113', 'pause-after-acquire-repaired:']) {
    const { context, page } = await visit(phone, `#${run}`);
    const panel = page.locator('.moves-open');
    assert.match(await panel.innerText(), /点一个步骤/);
    assert.doesNotMatch(await panel.innerText(), /按/);
    const { height } = await panel.boundingBox();
    assert.ok(height <= 740 / 3 + 1, `${run}: ${height}`);
    await context.close();
  }
});

test('on a phone a server’s number and a time are not divided, and links are high enough', async () => {
  const { context, page } = await visit(phone, '#redlock-split:113');
  const whole = page.locator('.move .whole', { hasText: '服务器' });
  assert.ok((await whole.count()) > 0);
  for (const part of await whole.all()) assert.equal(await part.evaluate((one) => one.getClientRects().length), 1);
  await context.close();
  const other = await visit(phone, '#setnx-crash:1x1');
  const mention = other.page.locator('.why .step-mention').first();
  await mention.waitFor();
  assert.ok((await mention.boundingBox()).height >= 24);
  await other.context.close();
});

test('the key r leads from a broken lock to its repairs, and a wrong one says so at the top', async () => {
  const { context, page } = await visit({ viewport: { width: 360, height: 740 } }, '#del-setnx-lock:12211122');
  await page.locator('.outcome-won').waitFor();
  await press(page, 'r');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'repair');
  await page.getByRole('button', { name: 'replace the stamp by GETSET, in one command' }).click();
  await page.waitForURL(/repair=del-setnx-lock$/);
  const verdict = page.locator('.brief .notice strong');
  assert.match(await verdict.innerText(), /Not enough: a run of \d+ steps breaks it/);
  const { y, height } = await verdict.boundingBox();
  assert.ok(y >= 0 && y + height <= 740);
  await context.close();
});

test('one count of what is proved: on the page of the lock and in its search', async () => {
  const { context, page } = await visit({}, '#stamp-lock:');
  await page.getByText('What is proved (2)').click();
  assert.match(await page.locator('.brief details').innerText(), /Mutual exclusion of lock\.foo\.\s+No deadlock\./);
  await page.getByRole('button', { name: 'Search all runs' }).click();
  assert.match(await page.locator('.bounds .verdict').innerText(), /Proved: mutual exclusion of lock\.foo; no deadlock\./);
  await context.close();
});
