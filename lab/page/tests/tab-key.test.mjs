// A lesson by Tab, Enter and Space alone, without a key of its own; and what else is done by buttons.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPage, press, stepsOn, useBrowser } from './page.mjs';

const own = useBrowser();

// Tab until the focus is on this element.
async function tabTo(page, locator, key = 'Tab') {
  for (let tabs = 0; tabs < 80; tabs += 1) {
    if ((await locator.count()) > 0 && (await locator.first().evaluate((one) => one === document.activeElement))) return;
    await page.keyboard.press(key);
  }
  assert.fail(`Tab does not lead to ${locator}`);
}
async function act(page, locator, key = 'Enter') {
  await tabTo(page, locator);
  await page.keyboard.press(key);
}
const button = (page, name) => page.getByRole('button', { name, exact: typeof name === 'string' });

test('a lesson is broken, repaired and left by Tab and Enter alone', async () => {
  const page = await openPage(own.context);
  await act(page, button(page, 'First lesson: del-setnx-lock'));
  await page.locator('.bench').waitFor();
  for (const [step, client] of [...'12211122'].entries()) {
    const move = page.locator(`.mover.client-${client - 1} .move`);
    await act(page, move, step % 2 ? 'Space' : 'Enter');
    await page.waitForFunction((n) => document.querySelectorAll('.diagram .step').length === n, step + 2);
  }
  await act(page, button(page, 'Choose a repair'));
  await act(page, button(page, /look at what was there before/));
  await page.locator('.repair .verdict-proved').waitFor();
  await act(page, page.locator('.next-lesson button'));
  await page.locator('.top-place').filter({ hasNotText: 'del-setnx-lock' }).waitFor();
  assert.deepEqual(page.complaints, []);
});

test('a search is begun and cancelled by Tab and Enter alone', async () => {
  const page = await openPage(own.context, '#bill-lock-repaired,clients=6,attempts=4:');
  await act(page, button(page, 'Search all runs'));
  await page.locator('.searching', { hasText: /\d+ states/ }).waitFor();
  await act(page, button(page, 'Cancel'));
  await page.getByText('The search was cancelled.').waitFor();
  assert.equal(await page.evaluate(() => document.activeElement === document.body), false);
  await act(page, button(page, 'Search all runs'));
  await page.locator('.searching').waitFor();
});

test('faults are chosen by Tab and Space, and then taken by buttons', async () => {
  const page = await openPage(own.context, '#stamp-lock:');
  await act(page, page.locator('.fault-choice summary'));
  for (const fault of ['crash', 'lost-reply']) await act(page, page.getByLabel(new RegExp(`^${fault} `)), 'Space');
  assert.equal(await page.locator('input[name=faults]').inputValue(), 'crash,lost-reply');
  await act(page, button(page, 'Play with these bounds'));
  await page.waitForURL(/#stamp-lock,faults=crash\+lost-reply:$/);
  const kinds = page.locator('.faults .move');
  const shows = (steps) => page.waitForFunction((n) => document.querySelectorAll('.diagram .step').length === n + 1, steps);
  for (const client of [0, 1]) {
    await act(page, page.locator(`.mover.client-${client} .move`));
    await shows(client + 1);
  }
  await act(page, kinds.filter({ hasText: 'A crash' }));
  await shows(3);
  const left = (await kinds.allInnerTexts()).join();
  assert.match(left, /answer is lost/);
  assert.doesNotMatch(left, /crash/, 'one crash is all there is');
});

test('a run is kept, and compared with a later one', async () => {
  const page = await openPage(own.context, '#del-setnx-lock:');
  await press(page, '1122');
  await act(page, button(page, 'Keep this run'));
  await button(page, 'This run is kept').waitFor();
  await button(page, 'Restart').click();
  await press(page, '1221');
  await act(page, button(page, /^Compare with.*del-setnx-lock:1122/));
  await page.locator('.comparison').waitFor();
  assert.match(page.url(), /#del-setnx-lock:1122&with=del-setnx-lock:1221$/);
});

const copies = (page) => button(page, 'Copy the command');
test('each command is copied', async () => {
  await own.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await openPage(own.context, '#del-setnx-lock:12');
  for (const [at, command] of ['interlock explore del-setnx-lock', "interlock replay 'del-setnx-lock:12'"].entries()) {
    await act(page, copies(page).nth(at));
    await page.locator('.replay').nth(at).getByText('Copied.').waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), command);
  }
  await page.getByLabel('Short form').focus();
  await page.keyboard.press('End');
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Control+v');
  await page.keyboard.press('Enter');
  await page.waitForURL(/#del-setnx-lock:12$/);
  assert.equal(await stepsOn(page), 2);
});

test('a command that the browser may not copy is selected', async () => {
  await own.context.addInitScript(() => {
    Object.defineProperty(navigator, 'clipboard', { value: { writeText: () => Promise.reject(new DOMException('no', 'NotAllowedError')) } });
  });
  const page = await openPage(own.context, '#del-setnx-lock:12');
  await copies(page).first().click();
  await page.getByText('The command is selected. Copy it by the keyboard.').waitFor();
  assert.equal(await page.evaluate(() => getSelection().toString()), 'interlock explore del-setnx-lock');
});
