// Who cannot see colours, uses no mouse or hears the page: axe, forced colours, focus, live region.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { openPage, press, startBrowser } from './page.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
let browser;

before(async () => {
  browser = await startBrowser();
});
after(() => browser.close());

const places = {
  'the map': '',
  'a lesson that begins': '#del-setnx-lock:',
  'a lesson that is won': '#del-setnx-lock:12211122',
  'several servers': '#redlock-split:123111',
  'leases': '#blind-del-after-expiry:1tt',
  'a loop': '#redlock-split:123(111122223333)',
  'a mistake': '#nope',
};

for (const colorScheme of ['light', 'dark']) {
  for (const [name, hash] of Object.entries(places)) {
    test(`axe finds nothing serious in ${name}, ${colorScheme}`, async () => {
      const context = await browser.newContext({ colorScheme, reducedMotion: 'reduce' });
      const page = await openPage(context, hash);
      await page.waitForTimeout(300);
      await page.evaluate(() => document.querySelectorAll('details').forEach((one) => (one.open = true)));
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() =>
        globalThis.axe.run({ rules: { 'label-content-name-mismatch': { enabled: true } } }),
      );
      const serious = violations.filter(({ impact }) => ['serious', 'critical'].includes(impact));
      assert.deepEqual(
        serious.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ html, failureSummary }) => html.slice(0, 160) + failureSummary)}`),
        [],
      );
      await context.close();
    });
  }
}

test('the focus is never lost', async () => {
  const context = await browser.newContext();
  const page = await openPage(context, '#del-setnx-lock:');
  const focus = () => page.evaluate(() => document.activeElement?.matches('body') ?? true);
  const kept = async (what) => {
    await page.waitForTimeout(100);
    assert.equal(await focus(), false, what);
  };
  await page.locator('.move').first().focus();
  for (const _ of '12211122') {
    await page.locator('.move:not(.move-fault)').first().press('Enter');
    await kept('a move');
    if ((await page.locator('.outcome').count()) > 0) break;
  }
  await page.getByRole('button', { name: 'Undo' }).focus();
  for (let step = 0; step < 9; step += 1) await page.keyboard.press('Enter');
  await kept('undo');
  assert.equal(await page.evaluate(() => document.activeElement.textContent.startsWith('Undo')), true);
  await page.getByRole('button', { name: 'Restart' }).press('Enter');
  await kept('restart');
  await page.locator('.code-panel summary').first().press('Enter');
  await kept('folding');
  await page.getByLabel('Short form').fill('del-setnx-lock:12211122');
  await page.getByLabel('Short form').press('Enter');
  await kept('opening');
  await page.getByRole('button', { name: 'Choose a repair' }).press('Enter');
  await kept('going to the repairs');
  await page.locator('.choice').first().press('Enter');
  await page.locator('.repair-result').waitFor();
  await kept('a repair');
  await page.getByRole('button', { name: 'Lessons' }).press('Enter');
  await page.locator('.map').waitFor();
  await kept('going to the map');
  await page.locator('.card').first().press('Enter');
  await page.locator('.bench').waitFor();
  await kept('opening a lesson');
  await context.close();
});

test('each step is spoken', async () => {
  const context = await browser.newContext();
  const page = await openPage(context, '#del-setnx-lock:');
  const said = page.locator('.unseen[aria-live]');
  await press(page, '1');
  await said.filter({ hasText: 'Step 1. A: SETNX lock.foo' }).waitFor();
  await press(page, '2');
  await said.filter({ hasText: 'Step 2. B: SETNX lock.foo' }).waitFor();
  await page.keyboard.press('u');
  await said.filter({ hasText: 'Back at step 1' }).waitFor();
  await page.getByRole('button', { name: 'Restart' }).click();
  await said.filter({ hasText: 'Back at the beginning' }).waitFor();
  await context.close();
});

test('with forced colours, marks do not depend on colour alone', async () => {
  const context = await browser.newContext({ forcedColors: 'active' });
  const page = await openPage(context, '#del-setnx-lock:12211122');
  const border = (selector) =>
    page.locator(selector).first().evaluate((one) => getComputedStyle(one).borderTopWidth);
  assert.equal(await border('.step.violating'), '2px');
  await page.locator('.step[data-step="3"]').click();
  assert.equal(await border('.step.shown'), '2px');
  assert.equal(await border('.badge'), '1px');
  await context.close();
});

test('nothing moves for those who want no motion', async () => {
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  const page = await openPage(context, '#del-setnx-lock:12211122');
  const moving = await page.evaluate(() =>
    [...document.querySelectorAll('*')].filter((one) => {
      const { transitionDuration, animationDuration } = getComputedStyle(one);
      return [transitionDuration, animationDuration].some((time) => parseFloat(time) > 0);
    }).length,
  );
  assert.equal(moving, 0);
  await context.close();
});
