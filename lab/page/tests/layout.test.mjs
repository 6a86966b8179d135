// Where things stand: what is needed next is in sight, and nothing is cut.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPage, press, useBrowser } from './page.mjs';

const own = useBrowser();
const box = (locator) => locator.boundingBox();

test('the repairs stand beside the run, below the reason, and not below the code', async () => {
  const page = await openPage(own.context, '#del-setnx-lock:');
  await page.setViewportSize({ width: 1280, height: 800 });
  await press(page, '12211122');
  await page.locator('.repair').waitFor();
  const [why, repair, store, code] = await Promise.all(['.why', '.repair', '.store-panel', '.code-panel'].map((one) => box(page.locator(one))));
  assert.ok(repair.x > code.x + code.width - 1, 'beside the code');
  assert.ok(repair.y >= why.y + why.height && store.y >= repair.y + repair.height);
  assert.ok(repair.y < 800, `${repair.y} is on the first screen`);
  await page.getByRole('button', { name: 'Restart' }).click();
  await page.locator('.moves-open').waitFor();
  const [again, below] = [await box(page.locator('.store-panel')), await box(page.locator('.repair'))];
  assert.ok(below.y >= again.y + again.height, 'the store is nearer to the moves');
});

test('the panels below are as wide as those above', async () => {
  const page = await openPage(own.context, '#del-setnx-lock:');
  await page.setViewportSize({ width: 1280, height: 800 });
  const edges = async (one) => {
    const { x, width } = await box(page.locator(one));
    return [x, x + width].map(Math.round);
  };
  assert.deepEqual(await edges('.bounds'), await edges('.run-panel'));
  for (const panel of ['.compare-panel', '.address']) assert.deepEqual(await edges(panel), await edges('.moves-panel'));
});

for (const width of [360, 768]) {
  test(`the marks of the code are in sight at ${width} pixels`, async () => {
    const page = await openPage(own.context, '#redlock-split:');
    await page.setViewportSize({ width, height: 740 });
    await press(page, '1');
    const text = await box(page.locator('.code-text').first());
    const marks = page.locator('.code-here .badge');
    assert.ok((await marks.count()) >= 3);
    for (const mark of await marks.all()) {
      const { x, width: wide } = await box(mark);
      assert.ok(x >= text.x && x + wide <= text.x + text.width, `${x}`);
    }
  });
}

test('each server shows its own values', async () => {
  const page = await openPage(own.context, '#redlock-split:');
  await press(page, '123');
  const values = page.locator('.diagram-frame .store-change .value');
  assert.deepEqual(await values.allTextContents(), ['A#1', 'B#1', 'C#1']);
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 740 });
    await page.waitForTimeout(200);
    const names = page.locator('.lane-name-store');
    for (const server of [0, 1, 2]) {
      const [name, value] = [await box(names.nth(server)), await box(values.nth(server))];
      const next = server < 2 ? (await box(names.nth(server + 1))).x : width;
      assert.ok(value.x > name.x + name.width / 2 && value.x + value.width <= next + name.width / 2, `S${server + 1} at ${width}`);
    }
  }
  await press(page, '111');
  assert.deepEqual(await page.locator('.store tbody th').allInnerTexts(), ['S1lock.foo', 'S2lock.foo', 'S3lock.foo']);
});

test('the button for a file has the words of the page', async () => {
  const page = await openPage(own.context);
  await page.getByRole('button', { name: '中文' }).click();
  const field = page.locator('input[type=file]');
  assert.equal(await field.evaluate((input) => getComputedStyle(input).opacity), '0');
  const [name, over] = [await box(page.getByText('含有执行过程的文件')), await box(field)];
  assert.ok(over.width >= name.width - 1 && over.height >= name.height - 1, 'it is chosen by a click on its name');
});

test('at 360 pixels nothing of a broken run is cut: the property, the time left, words of the store', async () => {
  const page = await openPage(own.context, '#pause-after-acquire-check:1ttt221');
  await page.setViewportSize({ width: 360, height: 740 });
  const panel = await box(page.locator('.run-panel'));
  const note = await box(page.locator('.violation-note'));
  assert.match(await page.locator('.violation-note').textContent(), /✗ violated: no stale write to database/);
  assert.ok(note.x + note.width <= panel.x + panel.width, `${note.x + note.width}`);
  await page.waitForFunction(() => [...document.querySelectorAll('.label.left')].every((one) => /\d s/.test(one.textContent)));
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 740 });
    const heights = await page.locator('.store thead th').evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
    assert.ok(Math.max(...heights) < 34, `${heights} at ${width}`);
    const lines = await page.locator('.store tbody td:nth-child(2)').evaluateAll((all) => all.map((one) => {
      const range = document.createRange();
      range.selectNodeContents(one);
      return new Set([...range.getClientRects()].filter(({ width: wide }) => wide > 4).map(({ top }) => Math.round(top))).size;
    }));
    assert.deepEqual(lines, [1, 1], `at ${width}`);
  }
  const labels = await page.locator('.diagram-frame .label.value').allTextContents();
  assert.ok(labels.every((text) => !text.endsWith('…')), labels.join());
  assert.ok(labels.includes('lock.foo 1 s left'), labels.join());
});

test('the marks of the code cover none of it', async () => {
  const page = await openPage(own.context, '#redlock-split:123(111122223333)');
  await page.setViewportSize({ width: 1280, height: 1000 });
  const covered = await page.locator('.code-here').evaluateAll((lines) => lines.flatMap((line) => {
    const text = [...line.children[1].getClientRects()];
    return [...line.querySelectorAll('.badge')].map((badge) => {
      const mark = badge.getBoundingClientRect();
      return text.some((part) => part.left < mark.right - 1 && part.right > mark.left + 1 && part.top < mark.bottom - 2 && part.bottom > mark.top + 2);
    });
  }));
  assert.ok(covered.length >= 3 && !covered.includes(true), String(covered));
});

test('the moves leave room for the diagram on a low screen, and fade where they go on', async () => {
  const page = await openPage(own.context, '#failover-loses-write:1');
  await page.setViewportSize({ width: 360, height: 640 });
  const { height } = await box(page.locator('.moves-open'));
  assert.ok(height < 640 / 3, `${height}`);
  const fade = await page.locator('.moves-open').evaluate((panel) => {
    const style = getComputedStyle(panel, '::after');
    return [panel.scrollHeight > panel.clientHeight, style.position, style.backgroundImage];
  });
  assert.equal(fade[0], true);
  assert.match(`${fade[1]} ${fade[2]}`, /sticky linear-gradient/);
});
