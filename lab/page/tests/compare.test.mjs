// Two runs side by side.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPage, press, stepsOn, useBrowser } from './page.mjs';

const own = useBrowser();
const shortest = 'del-setnx-lock:12211122';
const rowKinds = (page) =>
  page.locator('.compared-row').evaluateAll((rows) => rows.map((row) => row.className.replace('compared-row ', '')));

test('a run is compared with the shortest one, and Back leads to the bench', async () => {
  const page = await openPage(own.context, '#del-setnx-lock:');
  await press(page, '11221122');
  await page.getByRole('button', { name: 'Compare with the shortest run' }).click();
  await page.locator('.comparison').waitFor();
  await page.waitForURL(/#del-setnx-lock:11221122&with=del-setnx-lock:12211122$/);
  assert.match(await page.locator('.lead').innerText(), /The first step is the same/);
  assert.equal(await page.locator('.first-difference').count(), 1);
  assert.equal(await page.locator('.compared > li').nth(1).getAttribute('class'), 'first-difference');
  assert.equal((await rowKinds(page))[0], 'same');
  const heads = page.locator('.compared-head');
  for (const number of [0, 1]) {
    assert.match(await heads.nth(number).innerText(), /8 steps[^]*Step 8 violates: mutual exclusion/);
  }
  await page.goBack();
  await page.locator('.outcome-won').waitFor();
  assert.equal(await stepsOn(page), 8);
  await page.goForward();
  await page.locator('.comparison').waitFor();
  await page.getByRole('button', { name: 'Open run 2' }).click();
  await page.waitForURL(/#del-setnx-lock:12211122$/);
  assert.deepEqual(page.complaints, []);
});

test('a comparison opens by its address, and its rows are chosen by keys', async () => {
  const page = await openPage(own.context, `#${shortest}&with=del-setnx-lock:1221`);
  await page.locator('.comparison').waitFor();
  assert.match(await page.locator('.lead').innerText(), /The first 4 steps are the same/);
  assert.deepEqual(await rowKinds(page), [...Array(4).fill('same'), ...Array(4).fill('only-one')]);
  assert.match(await page.locator('.compared-head').nth(1).innerText(), /Nothing is broken/);
  await page.locator('.compared-row[aria-pressed=true]').press('Home');
  const stores = page.locator('.compared-stores .store-panel');
  assert.match(await stores.nth(0).innerText(), /After step 1 of 8/);
  assert.match(await stores.nth(1).innerText(), /After step 1 of 4/);
  await page.keyboard.press('End');
  assert.match(await stores.nth(0).innerText(), /After step 8 of 8/);
  assert.match(await stores.nth(1).innerText(), /After step 4 of 4/);
  await page.getByText('Both as diagrams').click();
  await page.locator('.compared-diagrams .diagram').nth(1).waitFor();
  assert.equal(await page.locator('.compared-diagrams .diagram').count(), 2);
  assert.deepEqual(page.complaints, []);
});

test('equal runs are said to be equal', async () => {
  const page = await openPage(own.context, `#${shortest}&with=${shortest}`);
  assert.match(await page.locator('.lead').innerText(), /same steps/);
  assert.equal(await page.locator('.first-difference').count(), 0);
});

test('the same order is compared in a repaired lock', async () => {
  const page = await openPage(own.context, `#${shortest}`);
  await page.getByText('The same order in a changed lock').click();
  await page.locator('.compare-panel').getByRole('button', { name: 'look at what was there before' }).click();
  await page.locator('.comparison').waitFor();
  const heads = page.locator('.compared-head');
  assert.match(await heads.nth(0).innerText(), /violates/);
  assert.match(await heads.nth(1).innerText(), /Nothing is broken/);
  const kinds = await rowKinds(page);
  assert.equal(kinds[0], 'same');
  assert.ok(kinds.some((kind) => kind !== 'same'), String(kinds));
});

test('a run is kept, and compared with another order of the lesson', async () => {
  const page = await openPage(own.context, '#del-setnx-lock:1221');
  await page.getByRole('button', { name: 'Keep this run' }).click();
  await page.getByRole('button', { name: 'Undo' }).click();
  await press(page, '2');
  await page.getByRole('button', { name: /^Compare with del-setnx-lock:1221/ }).click();
  await page.waitForURL(/#del-setnx-lock:1221&with=del-setnx-lock:1222$/);
  assert.match(await page.locator('.lead').innerText(), /The first 3 steps are the same/);
});

test('a pasted run stands beside, and a wrong one changes nothing', async () => {
  const page = await openPage(own.context, `#${shortest}`);
  const field = page.getByLabel('Another run');
  await field.fill('del-setnx-lok:12');
  await field.press('Enter');
  const alert = page.locator('.compare-panel [role=alert]');
  assert.match(await alert.innerText(), /no lesson “del-setnx-lok”.*del-setnx-lock/);
  await field.fill('del-setnx-lock:19');
  assert.equal(await alert.count(), 0);
  await field.press('Enter');
  assert.match(await alert.innerText(), /Step 2 does not fit: .*Nothing was opened/);
  assert.equal(await stepsOn(page), 8);
  await field.fill("interlock replay 'stamp-lock:11'");
  await field.press('Enter');
  await page.waitForURL(/&with=stamp-lock:11$/);
});

test('at 360 pixels the runs stand one above the other', async () => {
  const page = await openPage(own.context, '#del-setnx-lock:11221122&with=del-setnx-lock:12211122');
  await page.setViewportSize({ width: 360, height: 740 });
  const boxes = await page.locator('.compared-head').evaluateAll((heads) => heads.map((head) => head.getBoundingClientRect().top));
  assert.ok(boxes[1] > boxes[0] + 50, String(boxes));
  const [inner, outer] = await page.evaluate(() => [
    document.documentElement.scrollWidth,
    document.documentElement.clientWidth,
  ]);
  assert.ok(inner <= outer, `${inner} > ${outer}`);
});

for (const hash of ['#del-setnx-lock:12&with=nope:1', '#del-setnx-lock:12&with=del-setnx-lock:9', '#del-setnx-lock:12&with=%']) {
  test(`a comparison with a wrong run opens the right one: ${hash}`, async () => {
    const page = await openPage(own.context, hash);
    assert.notEqual(await page.getByRole('alert').innerText(), '');
    assert.equal(await stepsOn(page), 2);
    assert.match(page.url(), /#del-setnx-lock:12$/);
    assert.deepEqual(page.complaints, []);
  });
}

test('a lock that cannot take all steps of the other run is said to', async () => {
  const page = await openPage(own.context, '#clock-skew:1222&with=clock-skew-repaired:12');
  await page.locator('.comparison').waitFor();
  assert.match(await page.locator('.comparison').innerText(), /Run 2 has the first 2 of the 4 steps of run 1/);
  await page.goto(page.url().replace(/#.*/, '#clock-skew:1222&with=clock-skew:12'));
  await page.waitForFunction(() => !document.querySelector('.comparison').innerText.includes('of the 4 steps'));
});

test('an expired stamp is one beside another run, too, and a violation is called one', async () => {
  const page = await openPage(own.context, '#del-setnx-lock:12211122&with=del-setnx-lock:1');
  await page.locator('.compared-row').first().click();
  assert.match(await page.locator('.compared-stores').innerText(), /at 50: expired/);
  assert.match(await page.locator('.compared-violates').innerText(), /✗ violated: mutual exclusion of lock\.foo/);
});
