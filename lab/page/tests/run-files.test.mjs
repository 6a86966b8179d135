// Runs from files: every value is checked, and what is saved can be read again.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { startEngine } from './engine.mjs';
import { openPage, press, stepsOn, useBrowser } from './page.mjs';

const own = useBrowser();
const fileField = (page) => page.getByLabel('File with a run');
const asFile = (text, name = 'run.jsonl') => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
const give = (page, text) => fileField(page).setInputFiles(asFile(text));

async function written(short, explore = true) {
  const call = await startEngine();
  call('open', short);
  if (explore) call('explore', 0);
  return call('draw', explore ? 1 : 0, 'json');
}
const lines = (text) => text.trim().split('\n').map((line) => JSON.parse(line));
const textOf = (list) => list.map((line) => JSON.stringify(line)).join('\n') + '\n';

async function drop(page, text, name = 'run.jsonl') {
  const data = await page.evaluateHandle(
    ([words, file]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([words], file));
      return transfer;
    },
    [text, name],
  );
  await page.dispatchEvent('body', 'drop', { dataTransfer: data });
}

test('a run from a file is shown, and opens on the bench if it is one of a lesson', async () => {
  const page = await openPage(own.context);
  await give(page, await written('failover-loses-write:'));
  await page.locator('.recorded').waitFor();
  assert.equal(await stepsOn(page), 3);
  assert.match(await page.locator('.outcome').innerText(), /Step 3 violates: mutual exclusion/);
  assert.match(await page.locator('.verdict-violated').innerText(), /A run breaks it[^]*3 steps/);
  await page.getByRole('button', { name: 'Open this run on the bench' }).click();
  await page.waitForURL(/#failover-loses-write:1f12$/);
  await page.goBack();
  await page.locator('.recorded').waitFor();
  await page.reload();
  await page.getByText('Choose it again').waitFor();
  assert.deepEqual(page.complaints, []);
});

test('the run of a command is shown, and is not played', async () => {
  const list = lines(await written('del-setnx-lock:'));
  list[0].scenario = 'command';
  list[0].replay = 'command,instants=5:12211122 -- python3 worker.py';
  list.at(-1).scenario = 'command';
  const page = await openPage(own.context);
  await give(page, textOf(list));
  await page.locator('.recorded').waitFor();
  assert.equal(await stepsOn(page), 8);
  assert.equal(await page.getByRole('button', { name: 'Open this run on the bench' }).count(), 0);
});

// What a file says of a lesson is not believed, but replayed.
const contradictions = {
  'another command': [(list) => (list[3].what = 'DEL lock.bar'), /line 4 contradicts a replay of del-setnx-lock:12211122: what is "DEL lock\.bar" in the file, and "GET lock\.foo" in the replay/],
  'another value in the store': [(list) => (list[3].after.keys[0].value = '77'), /line 4 contradicts.* after\.keys\.1\.value is "77" in the file, and "50" in the replay/],
  'another answer': [(list) => (list[3].reply = '"77"'), /line 4 contradicts.* reply is/],
  'a violation that never was': [
    (list) => {
      list[0].violates = list[8].violates = list[9].property = 'no life on Mars';
    },
    /line 1 contradicts.* violates is "no life on Mars" in the file, and "mutual exclusion of lock\.foo" in the replay/,
  ],
  'the property of the verdict alone': [(list) => (list[9].property = 'no life on Mars'), /line 10 is no verdict of this run/],
  'the name of a proved lock': [(list) => (list[0].scenario = list[9].scenario = 'stamp-lock'), /line 1 contradicts.* scenario is "stamp-lock"/],
  'the run of a proved lock': [
    (list) => {
      list[0].scenario = list[9].scenario = 'stamp-lock';
      list[0].replay = 'stamp-lock:12211122';
    },
    /line 1: stamp-lock:12211122 cannot be replayed|contradicts a replay of stamp-lock/,
  ],
  'another name': [(list) => (list[0].scenario = list[9].scenario = 'my-lock'), /line 1 contradicts/],
  'no short form': [(list) => delete list[0].replay, /line 1 has the name of a lesson, and no short form/],
  'an end that is too early': [
    (list) => {
      list[0].replay = 'del-setnx-lock:1221112';
    },
    /line 1 contradicts/,
  ],
};

test('a file that contradicts its lesson is refused, by the first thing that is wrong', async () => {
  const page = await openPage(own.context, '#stamp-lock:1');
  await page.locator('.bench').waitFor();
  const right = await written('del-setnx-lock:');
  for (const [name, [act, says]] of Object.entries(contradictions)) {
    const list = lines(right);
    act(list);
    await drop(page, textOf(list), `${name}.jsonl`);
    const notice = page.locator('.notice-file', { hasText: `${name}.jsonl` });
    await notice.or(page.locator('.recorded')).first().waitFor();
    assert.equal(await page.locator('.recorded').count(), 0, `${name}: accepted`);
    assert.match(await notice.innerText(), says, name);
  }
  // The open game is not that of the file.
  await press(page, '2');
  assert.equal(await stepsOn(page), 2);
  assert.match(page.url(), /#stamp-lock:12$/);
  assert.deepEqual(page.complaints, []);
});

test('what cannot be replayed is as the file says, and what was replayed has its code', async () => {
  const page = await openPage(own.context);
  await give(page, await written('del-setnx-lock:'));
  await page.locator('.recorded').waitFor();
  assert.match(await page.locator('.trust').innerText(), /has replayed this run/);
  assert.match(await page.locator('.store').innerText(), /lock\.foo\s+103\s+at 103/);
  assert.match(await page.locator('.code-panel').innerText(), /DelSetnxLock|del_setnx|StampLock/);
  assert.ok((await page.locator('.code-here').count()) > 0 || /is done/.test(await page.locator('.stands').innerText()));
  await page.goBack();
  await page.locator('.map').waitFor();
  const list = lines(await written('del-setnx-lock:'));
  list[0].scenario = list.at(-1).scenario = 'command';
  list[0].replay = 'command,instants=5:12211122 -- python3 worker.py';
  await give(page, textOf(list));
  await page.locator('.recorded').waitFor();
  assert.match(await page.locator('.trust').innerText(), /^As the file says: .* not on this page/);
  assert.equal(await page.locator('.code-panel').count(), 0);
  await page.goBack();
  await page.locator('.map').waitFor();
  await give(page, await written('stamp-lock:'));
  await page.locator('.recorded').waitFor();
  assert.match(await page.locator('.trust').innerText(), /has not repeated this search/);
  assert.deepEqual(page.complaints, []);
});

test('the file of each lesson says what its replay does', async () => {
  const call = await startEngine();
  for (const { name, outcome } of JSON.parse(call('scenarios'))) {
    if (outcome !== 'violated') continue;
    call('open', `${name}:`);
    call('explore', 0);
    const [head, ...steps] = lines(call('draw', 1, 'json')).slice(0, -1);
    const { replay, ...rest } = head;
    assert.deepEqual(JSON.parse(call('open', replay)).run, [rest, ...steps], name);
  }
});

test('a verdict without a run is shown as what it is', async () => {
  const page = await openPage(own.context);
  for (const [short, look] of [['stamp-lock:', 'proved'], ['stamp-lock,clients=1,property=mutual-exclusion:', 'invalid']]) {
    await give(page, await written(short));
    await page.locator(`.recorded .verdict-${look}`).waitFor();
    assert.match(await page.locator('.recorded').innerText(), /It has no run/);
    await page.goBack();
    await page.locator('.map').waitFor();
  }
  await give(page, await written('starvation-spin:'));
  await page.locator('.recorded .verdict-loop').waitFor();
  assert.deepEqual(page.complaints, []);
});

// What somebody, or a disk, may make of a file. Each is refused by a line, and nothing else happens.
const change = (line, act) => (list) => {
  act(list.at(line));
  return textOf(list);
};
const mutations = {
  'another violating step': change(0, (head) => (head.violating_step = 99)),
  'a violating step that breaks nothing': change(0, (head) => (head.violating_step = 2)),
  'a violating step that is no number': change(0, (head) => (head.violating_step = '3')),
  'another property': change(0, (head) => (head.violates = 'nothing')),
  'a violation without a step': change(0, (head) => delete head.violating_step),
  'no clients': change(0, (head) => (head.clients = [])),
  'two clients of one name': change(0, (head) => (head.clients = ['A', 'A'])),
  'clients that are numbers': change(0, (head) => (head.clients = [1, 2])),
  'nine clients': change(0, (head) => (head.clients = [...'ABCDEFGHI'])),
  'no scenario': change(0, (head) => (head.scenario = '')),
  'a number of steps that is wrong': change(0, (head) => (head.steps = 7)),
  'no step at all': (list) => textOf([list[0], list.at(-1)]),
  'an empty run that is called violated': (list) => textOf([{ ...list[0], steps: 0, violates: undefined, violating_step: undefined }, list.at(-1)]),
  'a loop beyond its end': change(0, (head) => (head.loop = 50)),
  'a clock that is a text': change(0, (head) => (head.clocks_start_at_ms = 'noon')),
  'a world without keys': change(0, (head) => delete head.before.keys),
  'a version to come': change(0, (head) => (head.v = 2)),
  'steps that stand twice': (list) => textOf([list[0], list[1], list[1], ...list.slice(2)]),
  'a step that is missing': (list) => textOf([list[0], ...list.slice(2)]),
  'steps in another order': (list) => textOf([list[0], list[2], list[1], ...list.slice(3)]),
  'a kind that is none': change(1, (step) => (step.kind = 'magic')),
  'a client that is none': change(1, (step) => (step.client = 'Z')),
  'a server beyond all': change(1, (step) => (step.server = 1e9)),
  'a server that is negative': change(1, (step) => (step.server = -1)),
  'a reply that is an object': change(1, (step) => (step.reply = { toString: 1 })),
  'a what that is null': change(1, (step) => (step.what = null)),
  'applied that is a number': change(1, (step) => (step.applied = 1)),
  'a time that is not finite': (list) => textOf(list).replace(/"time_ms":\d+/, '"time_ms":1e999'),
  'a value that is a list': change(1, (step) => (step.after.keys = [{ server: 0, key: 'k', value: [1] }])),
  'a client more in the world': change(1, (step) => step.after.clients.push(step.after.clients[0])),
  'a status that is none': change(1, (step) => (step.after.clients[0].status = 'asleep')),
  'inside that is a text': change(1, (step) => (step.after.clients[0].inside = 'lock')),
  'resources that are null': change(1, (step) => (step.after.resources = null)),
  'the verdict of another run': change(-1, (verdict) => (verdict.steps = 99)),
  'a verdict that is none': change(-1, (verdict) => (verdict.verdict = 'perhaps')),
  'a proof beside a run': change(-1, (verdict) => (verdict.verdict = 'proved')),
  'a verdict without bounds': change(-1, (verdict) => delete verdict.bounds),
  'two runs': (list) => textOf([...list.slice(0, -1), ...list]),
  'half a line': (list) => textOf(list).slice(0, -40),
  'a list': () => '[]\n',
  'a number': () => '5\n',
  nothing: () => '',
  'bytes': () => '\u0000\u0001\u0002',
  'a prototype': (list) => textOf(list).replace('"scenario"', '"__proto__":{"x":1},"scenery"'),
};

test('files that are no run are refused, each by a line, and nothing else happens', async () => {
  const page = await openPage(own.context);
  const right = await written('failover-loses-write:');
  assert.ok(Object.keys(mutations).length >= 20);
  for (const [name, mutate] of Object.entries(mutations)) {
    const file = `${name}.jsonl`;
    await fileField(page).setInputFiles(asFile(mutate(lines(right)), file));
    await page.locator('.notice-file', { hasText: file }).waitFor({ timeout: 60_000 }).catch(() => {
      throw new Error(`${name}: not refused`);
    });
    assert.equal(await page.locator('.recorded').count(), 0, name);
  }
  await give(page, right);
  await page.locator('.recorded').waitFor();
  assert.equal(await page.locator('.notice-file').count(), 0);
  assert.deepEqual(page.complaints, []);
});

test('any value of a run may be anything: the page shows it or refuses it, and breaks never', async () => {
  const page = await openPage(own.context);
  const right = await written('failover-loses-write:');
  const wrong = [null, -1, 99, 1.5, '', 'x', true, [], {}, [null], ['x'], { a: 1 }];
  const places = [];
  const collect = (value, path) => {
    places.push(path);
    if (typeof value === 'object' && value) for (const key of Object.keys(value)) collect(value[key], [...path, key]);
  };
  lines(right).forEach((line, at) => collect(line, [at]));
  let seed = 7;
  const pick = (list) => list[(seed = (seed * 1103515245 + 12345) % 2147483648) % list.length];
  for (let round = 0; round < 120; round += 1) {
    const list = lines(right);
    const path = pick(places.filter((one) => one.length > 1));
    const parent = path.slice(0, -1).reduce((value, key) => value[key], list);
    parent[path.at(-1)] = pick(wrong);
    const file = `round ${round} ${path.join('.')}.jsonl`;
    await fileField(page).setInputFiles(asFile(textOf(list), file));
    await page.locator('.recorded').or(page.locator('.notice-file', { hasText: file })).first().waitFor();
    if ((await page.locator('.recorded').count()) === 0) continue;
    assert.ok(!/Step (?![123]\b)\d+ violates/.test(await page.locator('.recorded').innerText()), file);
    await page.goBack();
    await page.locator('.map').waitFor();
  }
  assert.deepEqual(page.complaints, []);
});

test('a wrong file leaves the player in the lesson', async () => {
  const page = await openPage(own.context, '#del-setnx-lock:');
  await press(page, '12');
  await drop(page, 'no run');
  assert.match(await page.locator('.notice-file').innerText(), /run\.jsonl: line 1 is not JSON/);
  assert.equal(await stepsOn(page), 2);
  assert.match(page.url(), /#del-setnx-lock:12$/);
  await press(page, '2');
  assert.equal(await stepsOn(page), 3);
  await page.getByRole('button', { name: 'Close' }).click();
  assert.equal(await page.locator('.notice-file').count(), 0);
  await drop(page, await written('failover-loses-write:'));
  await page.locator('.recorded').waitFor();
  await page.goBack();
  await page.waitForURL(/#del-setnx-lock:122$/);
  assert.equal(await stepsOn(page), 3);
});

test('a file that cannot be read is said to be so', async () => {
  const page = await openPage(own.context);
  await page.evaluate(() => {
    File.prototype.text = () => Promise.reject(new DOMException('gone', 'NotReadableError'));
  });
  await give(page, 'x');
  await page.locator('.notice-file', { hasText: 'cannot read it' }).waitFor();
  assert.deepEqual(page.complaints, []);
});

test('a run is saved, and read again', async () => {
  const page = await openPage(own.context, '#stamp-lock,instants=5:');
  await press(page, '111t');
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save the run' }).click();
  const saved = await download;
  assert.equal(saved.suggestedFilename(), 'stamp-lock.jsonl');
  const text = readFileSync(await saved.path(), 'utf8');
  assert.equal(lines(text)[0].replay, 'stamp-lock,instants=5:111t');
  await page.getByRole('button', { name: 'Lessons' }).click();
  await give(page, text);
  await page.locator('.recorded').waitFor();
  assert.equal(await stepsOn(page), 4);
  await page.getByRole('button', { name: 'Open this run on the bench' }).click();
  await page.waitForURL(/#stamp-lock,instants=5:111t$/);
});

test('a picture is saved, and stands alone', async () => {
  const page = await openPage(own.context, '#del-setnx-lock:12211122');
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save the picture' }).click();
  const saved = await download;
  assert.equal(saved.suggestedFilename(), 'del-setnx-lock.svg');
  const text = readFileSync(await saved.path(), 'utf8');
  assert.match(text, /^(<\?xml[^>]*>\s*)?<svg[^>]* xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
  assert.doesNotMatch(text, /https?:\/\/(?!www\.w3\.org)|<script|@import/);
  const alone = `${own.folder}/alone.svg`;
  writeFileSync(alone, text);
  const other = await own.context.newPage();
  await other.goto(`file://${alone}`);
  const box = await other.evaluate(() => document.documentElement.getBoundingClientRect().toJSON());
  assert.ok(box.width > 100 && box.height > 100, JSON.stringify(box));
});

// A field that is wrong, and where the page says it is.
const namedFields = {
  'no violation': [change(0, (head) => delete head.violates), /line 1 .*: violates is missing/],
  'too few steps': [change(0, (head) => (head.steps = 2)), /line 1 .*: steps is missing, or has a value/],
  'too many steps': [change(0, (head) => (head.steps = 9)), /steps is 9 in line 1, and the file has 3/],
  'no answer to a step': [change(2, (step) => delete step.applied), /line 3 .*: applied is missing/],
  'a verdict of other steps': [change(-1, (verdict) => (verdict.steps = 99)), /no verdict of this run: steps is missing/],
  'an empty file': [() => '', /^an empty file\.jsonl: the file is empty\. (?!.*line 0)/],
  'an empty line': [() => '\n', /the file is empty/],
};

test('the field that is wrong is named', async () => {
  const page = await openPage(own.context);
  const right = await written('failover-loses-write:');
  for (const [name, [mutate, says]] of Object.entries(namedFields)) {
    await fileField(page).setInputFiles(asFile(mutate(lines(right)), `${name}.jsonl`));
    const notice = page.locator('.notice-file', { hasText: `${name}.jsonl` });
    await notice.waitFor();
    assert.match(await notice.innerText(), says, name);
  }
});

test('a file without a search is not said to have one, and unknown fields are not vouched for', async () => {
  const page = await openPage(own.context);
  const list = lines(await written('del-setnx-lock:12', false));
  list[0].proved = true;
  await give(page, textOf(list));
  await page.locator('.recorded').waitFor();
  const trust = await page.locator('.trust').innerText();
  assert.match(trust, /has replayed this run.*Fields that this page does not know are not looked at/);
  assert.doesNotMatch(trust, /searched|all that the file says/);
});
