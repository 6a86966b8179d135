// The page as its users meet it: by keyboard, by address, on a narrow screen.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { openPage, pageUrl, press, startBrowser } from './page.mjs';

let browser;
let context;

before(async () => {
  browser = await startBrowser();
});
after(() => browser.close());
beforeEach(async () => {
  context = await browser.newContext();
  context.setDefaultTimeout(120_000);
});
afterEach(() => context.close());

const steps = (page) => page.locator('.diagram .step').count().then((all) => all - 1);

test('the page opens from a file, and asks for nothing else', async () => {
  const page = await openPage(context);
  await page.getByRole('heading', { level: 1 }).waitFor();
  assert.ok((await page.locator('.card').count()) > 40);
  await page.goto(`${pageUrl}#del-setnx-lock:12211122`);
  await page.locator('.outcome-won').waitFor();
  await page.locator('.step-mention').first().click();
  const foreign = page.requests.filter((url) => !/^(file|blob|data):/.test(url));
  assert.deepEqual(foreign, []);
  const files = page.requests.filter((url) => url.startsWith('file:'));
  assert.deepEqual([...new Set(files.map((url) => url.split('#')[0]))], [pageUrl]);
  assert.deepEqual(page.complaints, []);
});

test('a lesson is won by the keyboard alone', async () => {
  const page = await openPage(context);
  const next = page.locator('.map-progress button');
  for (let tabs = 0; tabs < 12; tabs += 1) {
    await page.keyboard.press('Tab');
    if (await next.evaluate((button) => button === document.activeElement)) break;
  }
  await page.keyboard.press('Enter');
  await page.locator('.bench').waitFor();
  await press(page, '12211122');
  await page.locator('.outcome-won').waitFor();
  assert.match(await page.locator('.outcome-won').innerText(), /You broke it in 8 steps/);
  assert.match(await page.locator('.unseen[aria-live]').innerText(), /mutual exclusion.*Broken/s);
  assert.equal(await page.locator('.step.violating').getAttribute('data-step'), '8');
  await page.getByRole('button', { name: 'Lessons' }).press('Enter');
  await page.locator('.map').waitFor();
  assert.match(await page.locator('.map-progress').innerText(), /1 of \d+/);
  await page.reload();
  await page.locator('.map').waitFor();
  assert.match(await page.locator('.map-progress').innerText(), /1 of \d+/);
});

test('keys of several letters, and keys that begin alike', async () => {
  const page = await openPage(context, '#failover-loses-write:');
  await press(page, '1f12');
  await page.locator('.outcome-won').waitFor();
  assert.match(page.url(), /failover-loses-write:1f12$/);
  await page.getByRole('button', { name: 'Restart' }).click();
  await press(page, '1-~');
  await page.waitForURL(/failover-loses-write:1-~$/);
  assert.equal(await steps(page), 1);
});

test('steps are taken back', async () => {
  const page = await openPage(context, '#del-setnx-lock:');
  await press(page, '112');
  assert.equal(await steps(page), 3);
  await page.keyboard.press('u');
  assert.equal(await steps(page), 2);
  await page.keyboard.press('Backspace');
  assert.equal(await steps(page), 1);
  await page.getByRole('button', { name: 'Undo' }).click();
  assert.equal(await steps(page), 0);
});

test('a hint says more each time', async () => {
  const page = await openPage(context, '#del-setnx-lock:122');
  const hint = page.locator('.hint');
  await page.keyboard.press('h');
  await hint.filter({ hasText: 'in 5 more steps' }).waitFor();
  await page.keyboard.press('h');
  await hint.filter({ hasText: /next to move is [AB]/ }).waitFor();
  await page.keyboard.press('h');
  await hint.filter({ hasText: /Take [12]:/ }).waitFor();
});

test('a step that is chosen shows its store', async () => {
  const page = await openPage(context, '#del-setnx-lock:12211122');
  await page.locator('.step[data-step="5"]').click();
  assert.match(await page.locator('.store').innerText(), /removed/);
  await page.getByRole('slider').press('ArrowRight');
  assert.match(await page.locator('.store').innerText(), /103.*new/s);
  await page.locator('.step-mention', { hasText: 'step 3' }).click();
  assert.equal(await page.locator('.step.shown').getAttribute('data-step'), '3');
});

test('the explanation of another run opens the shortest one', async () => {
  const page = await openPage(context, '#del-setnx-lock:');
  await press(page, '11221122');
  await page.getByText("A step's button opens that run.").waitFor();
  await page.locator('.step-mention', { hasText: 'step 7' }).click();
  await page.waitForURL(/#del-setnx-lock:12211122$/);
  assert.equal(await page.locator('.step.shown').getAttribute('data-step'), '7');
});

test('moves are made by touch', async () => {
  const touch = await browser.newContext({ hasTouch: true, viewport: { width: 360, height: 740 } });
  const page = await openPage(touch, '#setnx-crash:');
  await page.locator('.move').first().tap();
  await page.locator('.faults .move').first().tap();
  await page.locator('.outcome-won').waitFor();
  await touch.close();
});

test('an address opens in a new tab, and back and forward follow', async () => {
  const page = await openPage(context, '#stamp-lock,instants=5:11');
  await press(page, '1t');
  await page.waitForURL(/:111t$/);
  const other = await openPage(context, new URL(page.url()).hash);
  assert.equal(await steps(other), 4);
  assert.match(await other.locator('.brief').innerText(), /5 instants/);
  await page.goBack();
  await page.waitForFunction(() => document.querySelectorAll('.diagram .step').length === 4);
  await page.goForward();
  await page.waitForFunction(() => document.querySelectorAll('.diagram .step').length === 5);
  await page.getByLabel('Short form').fill('clock-jump:c12111');
  await page.getByLabel('Short form').press('Enter');
  await page.locator('.outcome-won').waitFor();
  assert.match(page.url(), /#clock-jump:c12111$/);
  assert.match(await page.locator('.address .replay code').innerText(), /^interlock replay/);
});

test('what others have left in the store of the browser does no harm', async () => {
  const page = await openPage(context);
  for (const left of ['null', '{}', '[]', '5', '"fr"', '[1,{}]', '{"broken":5,"repaired":[]}', 'xx']) {
    await page.evaluate((text) => {
      for (const name of ['language', 'progress']) localStorage.setItem(`interlock-lab.${name}`, text);
    }, left);
    await page.reload();
    await page.locator('.map').waitFor();
    assert.match(await page.locator('.map-progress').innerText(), /0 of \d+/, left);
  }
  assert.deepEqual(page.complaints, []);
});

test('a right repair shows a proof, and a wrong one a run', async () => {
  const page = await openPage(context, '#del-setnx-lock:12211122');
  await page.getByRole('button', { name: 'GET once more right before DEL' }).click();
  await page.waitForURL(/#del-setnx-lock-recheck:\d+&repair=del-setnx-lock$/);
  assert.match(await page.locator('.repair').innerText(), /a run of 10 steps breaks it/);
  assert.equal(await steps(page), 10);
  await page.getByRole('button', { name: 'look at what was there before' }).click();
  const proof = page.locator('.verdict-proved');
  await proof.waitFor();
  assert.match(await proof.innerText(), /2 identical clients[^]*States searched: 28/);
  // The run that broke the wrong one makes room for the lesson's own.
  await page.waitForURL(/#del-setnx-lock:12211122$/);
});

test('bounds are edited', async () => {
  const page = await openPage(context, '#stamp-lock:');
  await page.getByRole('button', { name: 'Search all runs' }).click();
  await page.locator('.bounds .verdict-proved').waitFor();
  await page.getByLabel('Instants').fill('5');
  await page.getByRole('button', { name: 'Search all runs' }).click();
  await page.locator('.bounds .verdict-violated').waitFor();
  await page.waitForURL(/#stamp-lock,instants=5:\w+$/);
  assert.equal(await steps(page), 10);
  const faults = page.getByLabel('Faults', { exact: true }).and(page.locator('input'));
  await faults.fill('nothing');
  await page.getByRole('button', { name: 'Search all runs' }).click();
  assert.match(await page.locator('.bounds [role=alert]').innerText(), /is no fault/);
  await faults.fill('');
  await page.getByLabel('Instants').fill('');
  await page.getByLabel('Clients').fill('1');
  await page.getByRole('button', { name: 'Search all runs' }).click();
  await page.locator('.bounds .verdict-invalid').waitFor();
});

test('a search is cancelled', async () => {
  const page = await openPage(context, '#bill-lock-repaired:');
  await page.getByLabel('Clients').fill('6');
  await page.getByLabel('Attempts').fill('4');
  await page.getByRole('button', { name: 'Search all runs' }).click();
  await page.locator('.searching', { hasText: /\d+ states/ }).waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('The search was cancelled.').waitFor();
  await page.getByLabel('Clients').fill('1');
  await page.getByLabel('Attempts').fill('1');
  await page.getByRole('button', { name: 'Search all runs' }).click();
  await page.locator('.bounds .verdict').waitFor();
});

for (const hash of ['', '#del-setnx-lock:12211122', '#failover-loses-write:', '#redlock-split:123111']) {
  test(`360 pixels are enough: ${hash || 'the map'}`, async () => {
    const page = await openPage(context, hash);
    await page.setViewportSize({ width: 360, height: 740 });
    await page.waitForTimeout(200);
    const [inner, outer] = await page.evaluate(() => [
      document.documentElement.scrollWidth,
      document.documentElement.clientWidth,
    ]);
    assert.ok(inner <= outer, `${inner} > ${outer}`);
  });
}
