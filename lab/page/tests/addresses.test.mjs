// The page's address is scenario, bounds and run.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startEngine } from './engine.mjs';
import { openPage, press, stepsOn, useBrowser } from './page.mjs';

const own = useBrowser();
const field = (page) => page.getByLabel('Short form');
const paste = async (page, text) => {
  await field(page).fill(text);
  await field(page).press('Enter');
};

const pastes = {
  'clock-jump:c12111': /#clock-jump:c12111$/,
  '  clock-jump:c12111  ': /#clock-jump:c12111$/,
  "interlock replay 'stamp-lock,instants=5:111t'": /#stamp-lock,instants=5:111t$/,
  '$ interlock replay clock-jump:c12111 -f svg -o x.svg': /#clock-jump:c12111$/,
  './build/release/bin/interlock replay clock-jump:c12111': /#clock-jump:c12111$/,
  'interlock explore stamp-lock --clients 3 --instants=5 --json': /#stamp-lock,clients=3,instants=5:$/,
  "interlock explore stamp-lock --faults 'crash,lost-reply' --allow-deadlock": /#stamp-lock,faults=crash\+lost-reply,deadlock=allowed:$/,
  'interlock play setnx-crash': /#setnx-crash:$/,
  'setnx-crash': /#setnx-crash:$/,
  'interlock diff del-setnx-lock:12211122 del-setnx-lock:1122': /#del-setnx-lock:12211122&with=del-setnx-lock:1122$/,
  'https://example.org/lab.html#stamp-lock,instants=5:111t': /#stamp-lock,instants=5:111t$/,
  '#stamp-lock:11': /#stamp-lock:11$/,
  'del-setnx-lock:12211122&with=del-setnx-lock:1122': /#del-setnx-lock:12211122&with=del-setnx-lock:1122$/,
  'interlock explore stamp-lock --seconds 5 --max-states=1000': /#stamp-lock:$/,
};

test('what a reader pastes is understood', async () => {
  const page = await openPage(own.context, '#del-setnx-lock:');
  for (const [text, expected] of Object.entries(pastes)) {
    await page.evaluate(() => void (location.hash = '#del-setnx-lock:'));
    await page.locator('h1', { hasText: 'del-setnx-lock' }).waitFor();
    await paste(page, text);
    await page.waitForURL(expected, { timeout: 60_000 }).catch(() => assert.fail(`${text}: ${page.url()}`));
    assert.equal(await page.getByRole('alert').count(), 0, text);
  }
  assert.deepEqual(page.complaints, []);
});

test('a run of a command is not on this page', async () => {
  const page = await openPage(own.context, '#del-setnx-lock:12');
  for (const text of ['interlock replay command:12 -- python3 w.py', "interlock replay 'command,instants=5:1ttt2 -- python3 w.py'", 'command:12']) {
    await paste(page, text);
    const said = await page.locator('.address [role=alert]').innerText();
    assert.match(said, /a program of your own/, text);
    assert.doesNotMatch(said, /interlock /, text);
    assert.equal(await stepsOn(page), 2);
  }
});

test('an unknown lesson names near ones, and leaves the player where they are', async () => {
  const page = await openPage(own.context, '#del-setnx-lock:12');
  await paste(page, 'setnx-crsh:1');
  const alert = page.locator('.address [role=alert]');
  assert.match(await alert.innerText(), /no lesson “setnx-crsh”\. Did you mean: setnx-crash/);
  assert.equal(await stepsOn(page), 2);
  await alert.getByRole('button', { name: 'setnx-crash', exact: true }).click();
  await page.waitForURL(/#setnx-crash:$/);
  assert.equal(await page.getByRole('alert').count(), 0);
});

// Address, what is said, the address that is right.
const wrong = [
  ['#del-setnx-lock:1229', /Step 4 does not fit/, /#del-setnx-lock:122$/],
  ['#del-setnx-lock:122111221', /Step 9 does not fit/, /#del-setnx-lock:12211122$/],
  ['#stamp-lock,clients=99:1', /bounds do not fit.*clients/, /#stamp-lock:1$/],
  ['#stamp-lock,colour=red,instants=5:11', /bounds do not fit.*colour/, /#stamp-lock,instants=5:11$/],
  ['#stamp-lok:11', /no lesson “stamp-lok”.*stamp-lock/, /#stamp-lok:11$/],
  ['#nope', /no lesson “nope”/, /#nope$/],
  ['#%', /no lesson|no run/, /#%$/],
  ['#__proto__', /no lesson/, /#__proto__$/],
  ['#constructor:1', /no lesson/, /#constructor:1$/],
  ['#:12', /no run|no lesson/, /#:12$/],
  ['#del-setnx-lock:12:34', /“del-setnx-lock:12:34” has more than one colon.*as in del-setnx-lock:12\./, /#del-setnx-lock:12:34$/],
  ['#del-setnx-lock:12&foo=bar&clients=3', /“&foo=bar&clients=3” is not understood in this address, and is left out/, /#del-setnx-lock:12$/],
  ['#setnx-crash:1&repair=del-setnx-lock', /del-setnx-lock is no lesson with setnx-crash among its repairs/, /#setnx-crash:1$/],
  ['#<img src=x onerror=alert(1)>', /no lesson|no run/, /onerror/],
];
for (const [hash, said, right] of wrong) {
  test(`a wrong address says what is wrong: ${hash}`, async () => {
    const page = await openPage(own.context, hash);
    const alert = await page.getByRole('alert').innerText();
    assert.match(alert, said);
    assert.doesNotMatch(alert, /see interlock|\n/);
    assert.match(page.url(), right);
    assert.deepEqual(page.complaints, []);
  });
}

test('what was wrong vanishes with the next address, and after Back', async () => {
  const page = await openPage(own.context, '#del-setnx-lock:12');
  await page.evaluate(() => void (location.hash = '#stamp-lok:11'));
  await page.getByRole('alert').waitFor();
  assert.equal(await page.locator('.map').count(), 1);
  await page.goBack();
  await page.locator('.bench').waitFor();
  assert.equal(await page.getByRole('alert').count(), 0);
  assert.equal(await stepsOn(page), 2);
  await page.evaluate(() => void (location.hash = '#del-setnx-lock:19'));
  await page.getByRole('alert').waitFor();
  await press(page, '1');
  assert.equal(await page.getByRole('alert').count(), 0);
  await page.evaluate(() => void (location.hash = '#del-setnx-lock:19'));
  await page.getByRole('alert').waitFor();
  await page.getByRole('button', { name: 'Search all runs' }).click();
  await page.locator('.bounds .verdict').waitFor();
  assert.equal(await page.getByRole('alert').count(), 0);
});

test('every address of a run opens the run again', async () => {
  const call = await startEngine();
  const page = await openPage(own.context, '');
  for (const short of ['reader-starves-writer:', 'redlock-split:', 'late-execution:', 'stamp-lock,instants=5:', 'starvation-spin:']) {
    call('open', short);
    const run = JSON.parse(call('explore', 0)).short;
    await page.goto('about:blank');
    const other = await openPage(own.context, `#${run}`);
    await other.locator('.outcome-won').waitFor();
    assert.equal(await other.getByRole('alert').count(), 0, run);
    assert.equal(decodeURI(new URL(other.url()).hash), `#${run}`);
    await other.close();
  }
});

test('what is typed and does not fit is refused, and the run stays', async () => {
  const page = await openPage(own.context, '#del-setnx-lock:12');
  const alert = page.locator('.address [role=alert]');
  for (const [text, says] of [
    ['del-setnx-lock:1299', /Step 3 does not fit: .*Nothing was opened/],
    ['interlock explore del-setnx-lock --clients 3 --nonsense 4', /“--nonsense” is not understood in this line\. Nothing was opened/],
    ['interlock replay del-setnx-lock:12 nonsense', /“nonsense” is not understood in this line\. Nothing was opened/],
    ['#del-setnx-lock:12&foo=bar', /“&foo=bar” is not understood in this address\. Nothing was opened/],
    ['del-setnx-lock:1:2', /more than one colon/],
    ['del-setnx-lock,clients=99:12', /These bounds do not fit: .*Nothing was opened/],
  ]) {
    await paste(page, text);
    assert.match(await alert.innerText(), says);
    assert.equal(await stepsOn(page), 2);
    assert.match(page.url(), /#del-setnx-lock:12$/);
  }
  await page.locator('h1').click();
  await press(page, '2');
  assert.equal(await stepsOn(page), 3);
});
