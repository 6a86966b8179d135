// What the page keeps in the browser.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPage, press, useBrowser } from './page.mjs';

const own = useBrowser();
const solved = (page, n) => page.locator('.map-progress', { hasText: new RegExp(`^\\s*${n} of`) }).waitFor();

test('two tabs keep what the other has solved', async () => {
  const one = await openPage(own.context);
  const other = await openPage(own.context);
  await one.goto(one.url().split('#')[0] + '#failover-loses-write:');
  await one.locator('.bench').waitFor();
  await press(one, '1f12');
  await one.locator('.outcome-won').waitFor();
  await solved(other, 1);
  await other.evaluate(() => void (location.hash = '#del-setnx-lock:'));
  await other.locator('.bench').waitFor();
  await press(other, '12211122');
  await other.locator('.outcome-won').waitFor();
  const kept = await other.evaluate(() => JSON.parse(localStorage.getItem('interlock-lab.progress')));
  assert.deepEqual(kept.broken.sort(), ['del-setnx-lock', 'failover-loses-write']);
  await one.getByRole('button', { name: 'Lessons' }).click();
  await solved(one, 2);
});

test('what another tab leaves that is nonsense takes nothing away', async () => {
  const one = await openPage(own.context, '#failover-loses-write:');
  const other = await openPage(own.context);
  await press(one, '1f12');
  await solved(other, 1);
  for (const left of ['xx', 'null', '{"broken":5}', '{"broken":["a",1],"repaired":[]}']) {
    await one.evaluate((text) => localStorage.setItem('interlock-lab.progress', text), left);
  }
  await one.getByRole('button', { name: 'Lessons' }).click();
  await solved(one, 1);
  await solved(other, 1);
  assert.deepEqual(other.complaints, []);
});

for (const way of ['getter', 'write']) {
  test(`a browser that stores nothing runs the lessons: ${way}`, async () => {
    await own.context.addInitScript((what) => {
      const refuse = () => {
        throw new DOMException('denied', what === 'write' ? 'QuotaExceededError' : 'SecurityError');
      };
      if (what === 'getter') Object.defineProperty(window, 'localStorage', { get: refuse });
      else Storage.prototype.setItem = refuse;
    }, way);
    const page = await openPage(own.context, '#failover-loses-write:');
    await press(page, '1f12');
    await page.locator('.outcome-won').waitFor();
    await page.getByRole('button', { name: '中文' }).click();
    assert.equal(await page.locator('html').getAttribute('lang'), 'zh-CN');
    await page.getByRole('button', { name: '课程' }).click();
    assert.match(await page.locator('.map-progress').innerText(), /已完成 1 课/);
    assert.deepEqual(page.complaints, []);
  });
}
