// The page that `--format html` writes, as its readers meet it: a file that asks for nothing.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { startEngine } from './engine.mjs';
import { press, startBrowser } from './page.mjs';

const axe = readFileSync(new URL('../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'static-page-'));
let call;
let browser;
let context;

before(async () => {
  call = await startEngine();
  browser = await startBrowser();
});
after(async () => {
  await browser.close();
  rmSync(folder, { recursive: true });
});
beforeEach(async () => {
  context = await browser.newContext();
  context.setDefaultTimeout(120_000);
});
afterEach(() => context.close());

// The page of the shortest run that breaks a scenario, or of the run that is given.
function pageOf(run) {
  const file = join(folder, `${run.replace(/\W/g, '-')}.html`);
  const [name, steps] = run.split(':');
  call('open', `${name}:${steps ?? ''}`);
  if (steps === undefined) call('explore', 0);
  writeFileSync(file, call('draw', steps === undefined ? 1 : 0, 'html'));
  return pathToFileURL(file).href;
}

async function open(run, hash = '') {
  const page = await context.newPage();
  page.requests = [];
  page.complaints = [];
  page.on('request', (request) => page.requests.push(request.url()));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) page.complaints.push(message.text());
  });
  page.on('pageerror', (error) => page.complaints.push(error.message));
  await page.goto(pageOf(run) + hash);
  return page;
}

const count = (page) => page.locator('#count').innerText();

test('it opens at the beginning, asks for nothing, and tells the run apart from the picture', async () => {
  const page = await open('del-setnx-lock');
  assert.equal(await count(page), 'Step 0 of 8');
  assert.match(await page.locator('header').innerText(), /A and B both hold lock\.foo.*Why: /s);
  assert.doesNotMatch(await page.locator('.picture').innerText(), /both hold/);
  assert.equal(await page.locator('section.at:visible').count(), 1);
  assert.equal(page.requests.length, 1);
  assert.deepEqual(page.complaints, []);
});

test('it plays, pauses, and begins again', async () => {
  const page = await context.newPage();
  await page.clock.install();
  await page.goto(pageOf('del-setnx-lock'));
  await page.locator('#play').click();
  assert.equal(await page.locator('#play').innerText(), 'Pause');
  assert.equal(await count(page), 'Step 1 of 8');
  await page.clock.runFor(3700);
  assert.equal(await count(page), 'Step 3 of 8');
  await page.locator('#play').click();
  await page.clock.runFor(9000);
  assert.equal(await count(page), 'Step 3 of 8');
  await page.keyboard.press('p');
  await page.clock.runFor(20_000);
  assert.equal(await count(page), 'Step 8 of 8');
  assert.equal(await page.locator('#play').innerText(), 'Play');
  await page.keyboard.press('p');
  assert.equal(await count(page), 'Step 0 of 8');
});

test('steps go forward and back by buttons, keys, slider and rows', async () => {
  const page = await open('del-setnx-lock');
  await page.getByRole('button', { name: 'Next' }).click();
  await press(page, ['ArrowRight', 'ArrowRight', 'ArrowLeft']);
  assert.equal(await count(page), 'Step 2 of 8');
  await page.getByRole('button', { name: 'Back' }).click();
  assert.equal(await count(page), 'Step 1 of 8');
  await page.locator('#slider').focus();
  await press(page, ['End', 'ArrowLeft']);
  assert.equal(await count(page), 'Step 7 of 8');
  await page.locator('.wide g.step[data-step="4"] .band').click();
  assert.equal(await count(page), 'Step 4 of 8');
  assert.match(await page.locator('#said').innerText(), /^Step 4\. A: GET lock\.foo\. Answer: 50\./);
  assert.match(await page.locator('section.at:visible').innerText(), /After step 4/);
});

test('the keyboard alone is enough, and does not take the keys that scroll', async () => {
  const page = await open('del-setnx-lock');
  await press(page, ['Tab', 'Enter', 'p']);
  assert.equal(await count(page), 'Step 1 of 8');
  for (let tabs = 0; tabs < 8; tabs += 1) {
    await page.keyboard.press('Tab');
    if (await page.evaluate(() => document.activeElement.matches('g.step .band'))) break;
  }
  assert.ok(await page.evaluate(() => document.activeElement.matches('.wide g.step.now .band')));
  await press(page, ['ArrowDown', 'ArrowDown']);
  assert.equal(await count(page), 'Step 3 of 8');
  assert.ok(await page.evaluate(() => document.activeElement.matches('g.step.now .band')));
  await press(page, ['End', 'ArrowUp']);
  assert.equal(await count(page), 'Step 7 of 8');
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press('ArrowDown');
  assert.equal(await count(page), 'Step 7 of 8');
});

test('the address keeps the step', async () => {
  const page = await open('del-setnx-lock', '#5');
  assert.equal(await count(page), 'Step 5 of 8');
  await page.keyboard.press('ArrowRight');
  assert.match(page.url(), /#6$/);
  await page.reload();
  assert.equal(await count(page), 'Step 6 of 8');
  await page.evaluate(() => { location.hash = '#2'; });
  await page.locator('#count', { hasText: 'Step 2 of 8' }).waitFor();
  for (const wrong of ['#-3', '#x', '#99']) await page.evaluate((hash) => { location.hash = hash; }, wrong);
  await page.locator('#count', { hasText: 'Step 8 of 8' }).waitFor();
});

test('a run without an end goes round', async () => {
  const page = await open('lock-order-deadlock-back-off');
  const loop = Number(await page.locator('main').getAttribute('data-loop'));
  assert.ok(loop > 0);
  assert.equal(await page.locator('.wide .loop').count(), 1);
  await page.locator('#slider').focus();
  await page.keyboard.press('End');
  await page.getByRole('button', { name: 'Next' }).click();
  assert.match(await count(page), new RegExp(`^Step ${loop} of`));
});

test('a run in mid-game is unfinished', async () => {
  const page = await open('del-setnx-lock:122');
  assert.match(await page.locator('header').innerText(), /3 steps, unfinished/);
});

for (const scheme of ['light', 'dark']) {
  for (const width of [360, 768, 1280, 2560]) {
    test(`at ${width} pixels, ${scheme}: nothing is cut off, and text is legible`, async () => {
      await context.close();
      context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme: scheme });
      for (const run of ['del-setnx-lock', 'redlock-split', 'pause-after-acquire', 'starvation-spin']) {
        const page = await open(run);
        const faults = await page.evaluate(() => {
          const wrong = [];
          if (document.documentElement.scrollWidth > innerWidth) wrong.push('the page scrolls sideways');
          const picture = [...document.querySelectorAll('.picture > .run')].filter((one) => one.getClientRects().length);
          if (picture.length !== 1) wrong.push(`${picture.length} pictures`);
          const frame = picture[0].getBoundingClientRect();
          for (const text of picture[0].querySelectorAll('text')) {
            const box = text.getBoundingClientRect();
            if (box.left < frame.left - 1 || box.right > frame.right + 1) wrong.push(text.textContent);
          }
          const size = 12 * frame.width / picture[0].viewBox.baseVal.width;
          if (size < 11) wrong.push(`text of ${size} pixels`);
          return wrong;
        });
        assert.deepEqual(faults, [], run);
        await page.close();
      }
    });
  }

  test(`axe has nothing against it, ${scheme}`, async () => {
    await context.close();
    context = await browser.newContext({ colorScheme: scheme });
    for (const run of ['del-setnx-lock', 'lock-order-deadlock-back-off']) {
      for (const step of ['#0', '#8']) {
        const page = await open(run, step);
        await page.evaluate(axe);
        const { violations } = await page.evaluate(() => globalThis.axe.run());
        assert.deepEqual(violations.map((one) => `${one.id}: ${one.nodes[0].html}`), []);
        await page.close();
      }
    }
  });
}

test('who wants less motion gets none, and print shows the whole run', async () => {
  await context.close();
  context = await browser.newContext({ reducedMotion: 'reduce', colorScheme: 'dark' });
  const page = await open('del-setnx-lock');
  const style = (of) => page.locator('.wide g.step[data-step="8"] > text').first()
    .evaluate((text, name) => getComputedStyle(text)[name], of);
  assert.equal(await style('transitionDuration'), '0s');
  assert.notEqual(await style('opacity'), '1');
  await page.emulateMedia({ media: 'print' });
  assert.equal(await style('opacity'), '1');
  assert.equal(await page.locator('.controls').isVisible(), false);
  assert.equal(await page.locator('body').evaluate((body) => getComputedStyle(body).color), 'rgb(20, 25, 31)');
});

test('without scripts the whole run is there', async () => {
  await context.close();
  context = await browser.newContext({ javaScriptEnabled: false });
  const page = await open('del-setnx-lock');
  assert.equal(await page.locator('.controls').isVisible(), false);
  assert.equal(await page.locator('.wide g.step').count(), 9);
  assert.match(await page.locator('header').innerText(), /both hold/);
});
