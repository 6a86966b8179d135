// What a student sees while playing: code, diagram, reasons, hints, goals.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { openPage, press, startBrowser, stepsOn } from './page.mjs';

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

const source = (file) => readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8').split('\n');

// --- code ----------------------------------------------------------------------------------------

test('the code of the lock marks the line at which each client waits', async () => {
  const page = await openPage(context, '#del-setnx-lock:');
  const panel = page.locator('.code-panel');
  assert.match(await panel.innerText(), /A\s+has not started\. First it waits in StampLock::try_acquire/);
  assert.match(await page.locator('.code-here').innerText(), /set_if_absent\(key, stamp\);\s*A\s*B/);
  await press(page, '12');
  const said = await panel.locator('.stands').innerText();
  const [, name, line] = /B\s+waits in ([\w:]+), line (\d+)/.exec(said);
  assert.equal(name, 'StampLock::try_acquire');
  const text = source('flawed/src/stamp_lock.cpp')[line - 1];
  assert.match(text, /co_await store_\.get\(key\)/);
  const marked = panel.locator('.code-here', { hasText: 'store_.get(key)' });
  assert.equal(await marked.count(), 1);
  assert.match(await marked.innerText(), /B/);
  // The step that is shown counts, and not the last one.
  await page.getByRole('slider').press('Home');
  assert.match(await page.locator('.code-here').innerText(), /set_if_absent/);
  assert.deepEqual(page.complaints, []);
});

test('the code can be folded, and stays folded', async () => {
  const page = await openPage(context, '#del-setnx-lock:1');
  await page.locator('.code-panel summary').first().press('Enter');
  await page.locator('.code-text').first().waitFor({ state: 'hidden' });
  // The browser tells the page a moment later that it was folded.
  await page.waitForFunction(() => localStorage.getItem('interlock-lab.fold.code') === 'false');
  await page.reload();
  await page.locator('.code-panel').waitFor();
  assert.equal(await page.locator('.code-text').first().isVisible(), false);
});

test('every lesson has code, and every line at which its clients wait is in it', async () => {
  const page = await openPage(context, '');
  const names = await page.locator('.card-name').allInnerTexts();
  for (const name of names) {
    await page.goto(`${page.url().split('#')[0]}#${name}:`);
    await page.locator('.top-place', { hasText: name }).waitFor();
    assert.ok((await page.locator('.code-panel .code').count()) > 0, name);
    await page.locator('.move:not(.move-fault)').first().click();
    assert.doesNotMatch(await page.locator('.stands').innerText(), /waits elsewhere/, name);
  }
});

// --- the diagram ---------------------------------------------------------------------------------

test('a step of the explanation lights in the diagram, and back', async () => {
  const page = await openPage(context, '#del-setnx-lock:12211122');
  const mention = page.locator('.step-mention:enabled', { hasText: 'step 3' }).first();
  await mention.hover();
  await page.locator('.step.lit[data-step="3"]').waitFor();
  await page.locator('.step[data-step="5"]').hover();
  await page.locator('.step-mention.lit', { hasText: 'step 5' }).first().waitFor();
  assert.equal(await page.locator('.step.lit').count(), 1);
  await mention.focus();
  await page.mouse.move(0, 0);
  await page.locator('.step.lit[data-step="3"]').waitFor();
});

test('each key with a time to live has a bar, and its end is drawn', async () => {
  const page = await openPage(context, '#blind-del-after-expiry:');
  await page.locator('.outcome, .move').first().waitFor();
  await press(page, '1');
  assert.ok((await page.locator('.lease').count()) > 1);
  assert.equal(await page.locator('.diagram-frame .lease-end').count(), 0);
  await press(page, 'ttt');
  assert.equal(await page.locator('.diagram-frame .lease-end').count(), 1);
  assert.match(await page.locator('.store').innerText(), /expired/);
});

test('a renewal is a change, and a counter hides no lock', async () => {
  const page = await openPage(context, '#lease-lock-renewed,instants=5:11_3.2t11');
  assert.match(await page.locator('.store tr.store-renewed').innerText(), /^deploy\s.*in 3000 ms\s+↻ renewed$/s);
  assert.match(await page.locator('.store-renewed .value').innerHTML(), /deploy: ↻ 3 s/);
  const places = await page.locator('.diagram-frame rect.lease').evaluateAll((bars) => bars.map((bar) => bar.getAttribute('x')));
  assert.equal(new Set(places).size, 2);
  const shortened = await openPage(context, '#renew-nonpositive:11');
  assert.match(await shortened.locator('.store tr.store-changed').innerText(), /1000 ms/);
});

test('a loop is drawn as one, and explained', async () => {
  const page = await openPage(context, '#redlock-split:');
  for (let step = 0; step < 60 && (await page.locator('.outcome-won').count()) === 0; step += 1) {
    for (let asked = 0; asked < 3; asked += 1) {
      await page.keyboard.press('h');
      await page.locator('.hint').filter({ hasText: [/more step/, /next to move/, /Take/][asked] }).waitFor();
    }
    const [, key] = /Take ([^:]+):/.exec(await page.locator('.hint').innerText());
    await press(page, key);
  }
  // Hints lead to the shortest one.
  assert.match(await page.locator('.outcome-won').innerText(), /in 15 steps/);
  assert.equal(await page.locator('.diagram-frame .loop').count(), 1);
  const note = await page.locator('.loop-note').innerText();
  assert.match(note, /Steps \d+ to 15 repeat for ever: after step 15 everything is as it was before step \d+/);
  assert.match(note, /A, B, C wait all along/);
});

test('a step that closes a loop is advised, by whatever way it was reached', async () => {
  const page = await openPage(context, '#starvation-spin:');
  await page.locator('.bench').waitFor();
  await page.evaluate(() => localStorage.clear());
  await page.getByRole('button', { name: 'Search all runs' }).click();
  await page.locator('.outcome-won').waitFor();
  await page.keyboard.press('u');
  await page.keyboard.press('h');
  await page.locator('.hint').filter({ hasText: 'in 1 more step' }).waitFor();
});

test('steps are chosen by the keyboard, and each says itself', async () => {
  const page = await openPage(context, '#del-setnx-lock:12211122');
  const step = page.locator('.step.shown');
  await step.focus();
  const focused = page.locator('.step:focus');
  for (const [key, at] of [['Home', 0], ['ArrowDown', 1], ['ArrowDown', 2]]) {
    await page.keyboard.press(key);
    await page.locator(`.step:focus[data-step="${at}"]`).waitFor();
  }
  assert.match(await focused.innerText(), /Step 2\. B: SETNX lock\.foo/);
  assert.match(await page.locator('.step-words').innerText(), /Step 2\. B: SETNX lock\.foo.*answer/);
});

// --- words ---------------------------------------------------------------------------------------

test('why a client cannot move is said in the language of the page', async () => {
  const page = await openPage(context, '#clock-skew:1111');
  await page.locator('.still').first().waitFor();
  assert.match(await page.locator('.still').first().innerText(), /is done|cannot move|sleeps/);
  await page.getByRole('button', { name: '中文' }).click();
  assert.match(await page.locator('.still').first().innerText(), /[\u4e00-\u9fff]/);
});

test('a hint changes its language with the page', async () => {
  const page = await openPage(context, '#del-setnx-lock:');
  await page.keyboard.press('h');
  await page.locator('.hint').filter({ hasText: 'in 8 more steps' }).waitFor();
  await page.getByRole('button', { name: '中文' }).click();
  assert.match(await page.locator('.hint').innerText(), /再走 8 步/);
});

test('the property and the faults are chosen, and explained', async () => {
  const page = await openPage(context, '#stamp-lock:');
  const property = page.getByLabel('Property');
  const choices = await property.locator('option').allInnerTexts();
  assert.ok(choices.includes('mutual-exclusion: mutual exclusion of lock.foo'), choices.join());
  await property.selectOption('mutual-exclusion');
  await page.getByText('Choose faults').click();
  await page.getByLabel(/^crash /).check();
  await page.getByLabel(/^lost-reply /).check();
  assert.equal(await page.locator('input[name=faults]').inputValue(), 'crash,lost-reply');
  await page.getByLabel(/^crash /).uncheck();
  await page.getByRole('button', { name: 'Play with these bounds' }).click();
  await page.waitForURL(/#stamp-lock,faults=lost-reply,property=mutual-exclusion:$/);
  for (const name of ['instants', 'faults', 'property']) {
    assert.ok(await page.locator(`#bounds-${name}-help`).isVisible(), name);
  }
});

test('numbers in the store are explained', async () => {
  const page = await openPage(context, '#del-setnx-lock:1');
  assert.match(await page.locator('.store').innerText(), /by the clock of the client that wrote it/);
});

test('servers are counted alike in explanation and drawing', async () => {
  const page = await openPage(context, '#redlock-split:');
  await page.getByRole('button', { name: 'Search all runs' }).click();
  await page.locator('.why .step-mention').first().waitFor();
  const mentions = await page.locator('.step-mention').allInnerTexts();
  const second = mentions.find((text) => /step 2 /.test(text));
  assert.match(second, /server 2/);
  await page.locator('.step-mention:enabled', { hasText: 'step 2 ' }).first().click();
  await page.locator('.store tr.store-new', { hasText: 'S2' }).waitFor();
});

// --- the way through a lesson --------------------------------------------------------------------

test('the goal of the lesson comes first', async () => {
  const page = await openPage(context, '#clock-skew:');
  assert.equal(await page.locator('.goal').count(), 1);
  assert.match(await page.locator('.goal').innerText(), /two clients believe/);
  const many = await openPage(context, '#fence-not-checked:');
  assert.equal(await many.locator('.goal').count(), 1);
});

test('after a lesson comes a repair, and after a right one the next lesson', async () => {
  const page = await openPage(context, '#del-setnx-lock:');
  await press(page, '12211122');
  await page.getByRole('button', { name: 'Choose a repair' }).click();
  assert.equal(await page.locator('.next-lesson').count(), 0);
  await page.getByRole('button', { name: 'look at what was there before' }).click();
  await page.locator('.verdict-proved').waitFor();
  await page.locator('.next-lesson button').click();
  await page.locator('.top-place').filter({ hasNotText: 'del-setnx-lock' }).waitFor();
  assert.equal(await page.locator('.next-lesson').count(), 0);
});

// --- what is true of other bounds, and of a proof ------------------------------------------------

test('other bounds leave the shortest run what it is, and other clients are said to be others', async () => {
  const page = await openPage(context, '#del-setnx-lock,clients=2:12211122');
  const why = page.locator('.why');
  await page.locator('.step-mention:enabled', { hasText: 'step 3' }).first().hover();
  await page.locator('.step.lit[data-step="3"]').waitFor();
  assert.equal(await page.locator('.why-other').count(), 0);
  await page.locator('.step-mention', { hasText: 'step 5' }).first().click();
  assert.match(page.url(), /#del-setnx-lock,clients=2:12211122$/);
  const other = await openPage(context, '#del-setnx-lock,clients=3:12211322');
  await other.locator('.why-other').waitFor();
  assert.match(await other.locator('.why-other').innerText(), /steps and clients named here are those of .*del-setnx-lock:12211122, and not of yours/);
  assert.match(await why.innerText(), /step 3 \(B GET\)/);
});

test('of a proved lock it is said that it is proved, and what to try', async () => {
  const page = await openPage(context, '#stamp-lock:');
  assert.match(await page.locator('.goal').innerText(), /^Proved No run within these bounds violates the properties that are listed below/);
  assert.doesNotMatch(await page.locator('.brief').innerText(), /make two clients/);
  await page.keyboard.press('h');
  const hint = page.locator('.hint').filter({ hasText: 'none violates a property that it looks for' });
  await hint.waitFor();
  assert.match(await hint.innerText(), /Try other bounds, more faults or another property\. Or look at del-setnx-lock/);
  await page.getByRole('button', { name: 'Break del-setnx-lock' }).click();
  await page.waitForURL(/#del-setnx-lock:$/);
  const queue = await openPage(context, '#queue-lock:');
  assert.doesNotMatch(await queue.locator('.brief').innerText(), /Other goals|stale write/);
  await queue.getByText('What is proved (23)').click();
  assert.match(await queue.locator('.brief').innerText(), /First come, first served on deploy\./);
});

test('a hint where bounds allow nothing to break says so, and not to take steps back', async () => {
  const page = await openPage(context, '#del-setnx-lock,property=deadlock:');
  assert.match(await page.locator('.goal').innerText(), /^Goal, if these bounds allow it/);
  await page.keyboard.press('h');
  await page.locator('.hint').filter({ hasText: 'none violates a property that it looks for' }).waitFor();
  await press(page, '12');
  await page.keyboard.press('h');
  await page.locator('.hint').filter({ hasText: 'none violates a property that it looks for' }).waitFor();
  // Here a step was taken that leads nowhere.
  const late = await openPage(context, '#del-setnx-lock:1111');
  await late.keyboard.press('h');
  await late.locator('.hint').filter({ hasText: /more steps|Take steps back/ }).waitFor();
});

test('an expired stamp is said to be one, and what has no end is not a dash', async () => {
  const page = await openPage(context, '#del-setnx-lock:');
  const store = page.locator('.store');
  assert.match(await store.innerText(), /lock\.foo\s+50\s+at 50: expired/);
  assert.match(await store.innerText(), /By a right clock it is 100: the lock with 50 has expired/);
  await press(page, '12211');
  await press(page, '1');
  assert.match(await store.innerText(), /at 103/);
  assert.doesNotMatch(await store.innerText(), /expired|—/);
  const crash = await openPage(context, '#setnx-crash:1');
  assert.match(await crash.locator('.store').innerText(), /lock\.foo[^]*never/);
});

test('of many moves the usual ones stand first, and no two have the same words', async () => {
  const page = await openPage(context, '#queue-lock:');
  await page.locator('.move').first().waitFor();
  const seen = await page.locator('.move:visible').allInnerTexts();
  assert.ok(seen.length <= 10, `${seen.length} moves`);
  assert.doesNotMatch(seen.join('\n'), /interlock:fence/);
  await page.getByText('More moves of A (6)').click();
  assert.equal(await page.locator('.mover.client-0 .move:visible').count(), 9);
  await press(page, '1%2.-');
  assert.equal(await stepsOn(page), 1);
});

test('what is fixed in a lesson is said to be so, in words', async () => {
  const page = await openPage(context, '#setnx-crash:');
  const help = async (name) => page.locator(`#${await page.getByLabel(name, { exact: true }).getAttribute('aria-describedby')}`).innerText();
  assert.match(await help('Clients'), /Fixed in this lesson/);
  assert.match(await help('Attempts'), /Fixed in this lesson/);
  await page.goto(page.url().replace(/#.*/, '#del-setnx-lock:'));
  await page.locator('h1', { hasText: 'del-setnx-lock' }).waitFor();
  assert.match(await help('Clients'), /from 1 to 8/);
});

test('why a proved lock breaks in other bounds is not compared with a run that there is not', async () => {
  const page = await openPage(context, '#clock-skew-repaired,instants=4:');
  await page.getByRole('button', { name: 'Search all runs' }).click();
  await page.locator('.outcome-won').waitFor();
  await page.locator('.why').waitFor();
  assert.match(await page.locator('.why-own').innerText(), /own bounds .* no run breaks it\. Your run has others/);
  await page.evaluate(() => void (location.hash = '#semaphore-skew:1223'));
  await page.locator('h1', { hasText: 'semaphore-skew' }).waitFor();
  assert.equal(await stepsOn(page), 4);
  await page.locator('.why .step-mention').first().click();
  await page.goto(page.url().replace(/#.*/, '#evicted-repaired,property=mutual-exclusion:1v12'));
  await page.locator('.why-own').waitFor();
  await page.goto(page.url().replace(/#.*/, '#stamp-lock:1'));
  await page.locator('h1', { hasText: 'stamp-lock' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Compare with the shortest run' }).count(), 0);
  assert.deepEqual(page.complaints, []);
});

test('a part that cannot be drawn says so, and the others go on', async () => {
  await context.addInitScript(() => {
    const usual = RegExp.prototype.test;
    RegExp.prototype.test = function (text) {
      // The code panel looks for comments so.
      if (window.broken && this.source === '^\\s*\\/\\/') throw new Error('broken on purpose');
      return usual.call(this, text);
    };
  });
  const page = await openPage(context, '#del-setnx-lock:');
  await page.evaluate(() => void (window.broken = true));
  await press(page, '1');
  assert.match(await page.getByRole('alert').innerText(), /cannot be shown: broken on purpose/);
  await press(page, '2');
  assert.equal(await stepsOn(page), 2);
  await page.evaluate(() => void (window.broken = false));
  await press(page, '2');
  await page.locator('.code-panel').waitFor();
  assert.equal(await page.getByRole('alert').count(), 0);
});

test('the shortest run is said to be that with the fewest faults', async () => {
  const page = await openPage(context, '#fence-counter-lost-clock:');
  await press(page, '11e12');
  assert.match(await page.locator('.length').innerText(), /^4 steps\. The shortest run with no fault has 6\.$/);
  await press(page, '2');
  assert.match(await page.locator('.length').innerText(), /The shortest run with no fault has 6\./);
  assert.match(await page.locator('.outcome-won').innerText(), /with 1 fault\. With no fault the shortest run has 6 steps/);
});

test('a client that sleeps is not said to sleep for ever while time is left', async () => {
  const page = await openPage(context, '#batch-expires-unevenly:3@t2tt');
  await page.locator('.mover.client-1 .still').waitFor();
  assert.match(await page.locator('.mover.client-1 .still').innerText(), /Time can pass later: others must move first/);
});

test('clocks are not said to be alike', async () => {
  const page = await openPage(context, '#clock-skew:12');
  const store = await page.locator('.store').innerText();
  assert.match(store, /A right clock shows 100 at the beginning; that of a client may be ahead or behind/);
  assert.doesNotMatch(store, /Clocks show 100/);
});

test('a right repair ends the view of a wrong one, and can be played', async () => {
  const page = await openPage(context, '#del-setnx-lock:12211122');
  await page.getByRole('button', { name: 'GET once more right before DEL' }).click();
  await page.waitForURL(/#del-setnx-lock-recheck:\d+&repair=del-setnx-lock$/);
  await page.getByRole('button', { name: 'look at what was there before' }).click();
  await page.waitForURL(/#del-setnx-lock:12211122$/);
  await page.locator('.repair .verdict-proved').waitFor();
  await page.getByRole('button', { name: 'Play the repaired lock, stamp-lock' }).click();
  await page.waitForURL(/#stamp-lock:$/);
});

test('a number in front of faults is kept, and faults between spaces are found', async () => {
  const page = await openPage(context, '#del-setnx-lock:');
  const field = page.locator('input[name=faults]');
  await field.fill('2');
  await page.getByText('Choose faults').click();
  await page.getByLabel(/^crash /).check();
  assert.equal(await field.inputValue(), '2/crash');
  await page.getByLabel(/^pause /).check();
  assert.equal(await field.inputValue(), '2/crash,pause');
  await page.getByLabel(/^pause /).uncheck();
  await page.getByLabel(/^crash /).uncheck();
  assert.equal(await field.inputValue(), '2');
  await field.fill('crash lost-reply');
  await page.getByRole('button', { name: 'Play with these bounds' }).click();
  await page.waitForURL(/#del-setnx-lock,faults=crash\+lost-reply:$/);
});
