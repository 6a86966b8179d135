// What is said when a search ends, or when its place is left; and what an address keeps.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPage, press, stepsOn, useBrowser } from './page.mjs';

const own = useBrowser();
const said = (page) => page.locator('.unseen[aria-live]');
const search = (page) => page.getByRole('button', { name: 'Search all runs' }).click();

test('a search that Back leaves is cancelled, and that is said', async () => {
  const page = await openPage(own.context, '#del-setnx-lock:');
  await page.evaluate(() => void (location.hash = '#bill-lock-repaired,clients=6,attempts=4:'));
  await page.locator('h1', { hasText: 'bill-lock-repaired' }).waitFor();
  await search(page);
  await page.locator('.searching', { hasText: /\d+ states/ }).waitFor();
  await page.goBack();
  const notice = page.getByRole('status').filter({ hasText: 'bill-lock-repaired,clients=6,attempts=4 was cancelled' });
  await notice.waitFor();
  await notice.getByRole('button', { name: 'Close' }).click();
  assert.equal(await notice.count(), 0);
  assert.equal(await page.locator('.searching').count(), 0);
  assert.deepEqual(page.complaints, []);
});

test('the status line says what was proved, and no longer that the lock is broken', async () => {
  const page = await openPage(own.context, '#del-setnx-lock:');
  await press(page, '12211122');
  await said(page).filter({ hasText: /violation: mutual exclusion of lock\.foo\. Broken\.$/ }).waitFor();
  await page.getByRole('button', { name: 'look at what was there before' }).click();
  await said(page).filter({ hasText: /^Repaired, and proved within these bounds\.$/ }).waitFor();
  const other = await openPage(own.context, '#stamp-lock,instants=5:');
  await search(other);
  await said(other).filter({ hasText: 'stamp-lock is open. Broken.' }).waitFor();
  await other.getByLabel('Instants').fill('');
  await search(other);
  await other.locator('.bounds .verdict-proved').waitFor();
  await said(other).filter({ hasText: /^No run breaks it$/ }).waitFor();
});

test('the status line of a Chinese page has Chinese marks only', async () => {
  const page = await openPage(own.context, '#del-setnx-lock:12211122');
  await page.getByRole('button', { name: '中文' }).click();
  await said(page).filter({ hasText: /^已打开 del-setnx-lock。已攻破。$/ }).waitFor();
  await page.getByRole('button', { name: '重来' }).click();
  await press(page, '12211122');
  await said(page).filter({ hasText: /违反：lock\.foo 的互斥。已攻破。$/ }).waitFor();
  await page.evaluate(() => void (location.hash = '#lost-reply-new-token:'));
  await page.locator('.faults .move').first().click();
  await said(page).filter({ hasText: /^第 1 步。A：SET[^(,]*（应答丢失）[^(,]*= A#1，剩余/ }).waitFor();
});

// Address, what is said, how many steps are kept.
const ends = [
  ['#reader-starves-writer:123(1)', /does not fit: .*another\. The 4 steps before it are kept/, 4],
  ['#reader-starves-writer:123(11122231)', /does not fit: .*another\. The 11 steps before it are kept/, 11],
  ['#reader-starves-writer:12(1', /does not fit: .*missing\. The 3 steps before it are kept/, 3],
  ['#reader-starves-writer:12(9)', /Step 3 does not fit/, 2],
];
for (const [hash, words, kept] of ends) {
  test(`a loop that does not close is told from a wrong step: ${hash}`, async () => {
    const page = await openPage(own.context, hash);
    assert.match(await page.getByRole('alert').innerText(), words);
    assert.equal(await stepsOn(page), kept);
    await page.getByRole('button', { name: '中文' }).click();
    assert.doesNotMatch(await page.getByRole('alert').innerText(), /[a-z]{3,} [a-z]{2,}/);
  });
}

// Address, the address that is right.
const repairs = {
  '#del-setnx-lock:12&repair=nope': '#del-setnx-lock:12',
  '#del-setnx-lock:12&repair=del-setnx-lock': '#del-setnx-lock:12',
  '#stamp-lock:1&repair=setnx-crash': '#stamp-lock:1',
  '#del-setnx-lock-recheck:12&repair=del-setnx-lock': '#del-setnx-lock-recheck:12&repair=del-setnx-lock',
  '#del-setnx-lock:12&repair=nope&with=del-setnx-lock:1': '#del-setnx-lock:12&with=del-setnx-lock:1',
};
test('an address names a repair only where it is one', async () => {
  const page = await openPage(own.context);
  for (const [given, right] of Object.entries(repairs)) {
    await page.goto('about:blank');
    const other = await openPage(own.context, given);
    await other.waitForFunction((hash) => location.hash === hash, right);
    assert.equal(await other.getByText('You see the run that breaks').count(), right.includes('repair=') ? 1 : 0);
    await other.close();
  }
});

test('a broken run that is left is not said to be open', async () => {
  const page = await openPage(own.context, '#del-setnx-lock:12211122');
  await said(page).filter({ hasText: 'del-setnx-lock is open. Broken.' }).waitFor();
  await page.evaluate(() => void (location.hash = '#del-setnx-lock:12'));
  await said(page).filter({ hasText: /^del-setnx-lock is open\.\s*$/ }).waitFor();
});
