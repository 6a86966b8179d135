// Every lesson is solved at its shortest length by the keyboard alone, and every repair of it is tried.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startEngine } from './engine.mjs';
import { openPage, press, stepsOn, useBrowser } from './page.mjs';

const own = useBrowser();

// The keys of the moves of a run. What repeats for ever is closed by the game.
function keysOf(call, name, short) {
  const keys = [];
  let rest = short.slice(short.lastIndexOf(':') + 1).replace(/[()]/g, '');
  let state = JSON.parse(call('open', `${name}:`));
  while (rest !== '' && state.standing === 'open') {
    const fitting = state.moves.map((move) => move.key).filter((key) => rest.startsWith(key));
    const key = fitting.sort((one, other) => other.length - one.length)[0];
    assert.ok(key, `${short}: ${rest}`);
    keys.push(key);
    rest = rest.slice(key.length);
    state = JSON.parse(call('play', key));
  }
  assert.equal(state.standing, 'won', short);
  return keys;
}

test('every lesson is solved at its shortest length by keys, and every repair is tried', { timeout: 1_800_000 }, async (t) => {
  const call = await startEngine();
  const scenarios = JSON.parse(call('scenarios'));
  const lessons = scenarios.filter((one) => one.outcome === 'violated' && !one.slow && one.repairs_what === '');
  assert.ok(lessons.length > 40);
  const page = await openPage(own.context);
  for (const lesson of lessons) {
    await t.test(lesson.name, async () => {
      call('open', `${lesson.name}:`);
      const found = JSON.parse(call('explore', 0));
      assert.equal(found.run.length - 1, lesson.steps);
      const keys = keysOf(call, lesson.name, found.short);
      await page.evaluate((name) => void (location.hash = `#${name}:`), lesson.name);
      await page.locator('h1', { hasText: new RegExp(`^${lesson.name}$`) }).waitFor();
      for (const key of keys) await press(page, key);
      await page.locator('.outcome-won').waitFor();
      assert.equal(await stepsOn(page), lesson.steps);
      await opensAgain(page, JSON.parse(call('state')).short, lesson.steps);
      for (const repair of lesson.repairs) await tried(page, lesson, repair, scenarios);
      assert.deepEqual(page.complaints, []);
    });
  }
  await page.getByRole('button', { name: 'Lessons' }).click();
  const repaired = lessons.filter((lesson) => lesson.repairs.some(({ right }) => right));
  assert.match(await page.locator('.map-progress').innerText(), new RegExp(`^${lessons.length} of ${lessons.length}`));
  assert.equal(await page.locator('.card', { hasText: 'solved and repaired' }).count(), repaired.length);
});

// The address alone brings the run back.
async function opensAgain(page, short, steps) {
  assert.equal(decodeURI(new URL(page.url()).hash), `#${short}`);
  const hash = await page.evaluate(() => location.hash);
  await page.evaluate(() => void (location.hash = ''));
  await page.locator('.map').waitFor();
  await page.evaluate((back) => void (location.hash = back), hash);
  await page.locator('.outcome-won').waitFor();
  assert.equal(await stepsOn(page), steps);
  assert.equal(await page.getByRole('alert').count(), 0);
}

async function tried(page, lesson, repair, scenarios) {
  const choice = page.locator('.repair li').filter({ has: page.getByRole('button', { name: repair.what, exact: true }) });
  await choice.getByRole('button', { name: repair.what, exact: true }).click();
  if (repair.right) {
    const proof = choice.locator('.verdict-proved');
    await proof.waitFor({ timeout: 120_000 });
    assert.match(await proof.innerText(), /Bounds: .*\d+ instants?|Bounds: .*time/s);
    return;
  }
  await page.waitForURL((url) => url.hash.startsWith(`#${repair.scenario}:`), { timeout: 120_000 });
  await page.locator('.outcome-won').waitFor();
  assert.equal(await stepsOn(page), scenarios.find(({ name }) => name === repair.scenario).steps);
}
