// Searches begin and end; their outcomes stand where they belong.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPage, press, stepsOn, useBrowser } from './page.mjs';

const own = useBrowser();
const panel = (page) => page.locator('.bounds');
const search = (page) => panel(page).getByRole('button', { name: 'Search all runs' }).click();
const endless = async (page) => {
  await page.getByLabel('Clients').fill('6');
  await page.getByLabel('Attempts').fill('3');
  await page.getByLabel('Instants').fill('4');
  await search(page);
  await page.locator('.searching', { hasText: /\d+ states/ }).waitFor();
};

// Lets the test say when the worker's answers arrive.
async function holdAnswers(context) {
  await context.addInitScript(() => {
    window.held = [];
    window.holding = false;
    const Usual = window.Worker;
    window.Worker = class extends Usual {
      set onmessage(act) {
        super.onmessage = act && ((event) => {
          if (window.holding && event.data.kind === 'done') window.held.push(() => super.onmessage?.(event));
          else act(event);
        });
      }
      get onmessage() {
        return super.onmessage;
      }
    };
    window.release = () => {
      window.holding = false;
      // As if the answers came now: through the page's own handler, if it still listens.
      for (const give of window.held.splice(0)) give();
    };
  });
}
const hold = (page) => page.evaluate(() => void (window.holding = true));
const arrived = (page) => page.waitForFunction(() => window.held.length > 0);
const release = (page) => page.evaluate(() => window.release());

test('a million states show progress, and a cancel is answered at once', async () => {
  const page = await openPage(own.context, '#stamp-lock:');
  await endless(page);
  await page.waitForFunction(() => {
    const states = /([\d,]+) states/.exec(document.querySelector('.searching')?.textContent ?? '');
    return states && Number(states[1].replaceAll(',', '')) > 1_000_000;
  }, null, { timeout: 120_000 });
  const took = await page.evaluate(async () => {
    const begun = performance.now();
    [...document.querySelectorAll('.searching button')].at(-1).click();
    while (!document.querySelector('.bounds')?.textContent.includes('Nothing is decided')) {
      await new Promise((go) => requestAnimationFrame(go));
    }
    return performance.now() - begun;
  });
  // Not when the search would have ended, minutes later.
  assert.ok(took < 10_000, `${took} ms`);
  assert.equal(await page.locator('.verdict').count(), 0);
  await page.getByLabel('Clients').fill('2');
  await page.getByLabel('Attempts').fill('1');
  await page.getByLabel('Instants').fill('');
  await search(page);
  await page.locator('.bounds .verdict-proved').waitFor();
  assert.deepEqual(page.complaints, []);
});

test('a search that ends after the player went on offers its run', async () => {
  await holdAnswers(own.context);
  const page = await openPage(own.context, '#del-setnx-lock:');
  await hold(page);
  await search(page);
  await arrived(page);
  await press(page, '12');
  await release(page);
  await page.locator('.bounds .verdict-violated').waitFor();
  assert.equal(await stepsOn(page), 2);
  await panel(page).getByRole('button', { name: 'Open the run' }).click();
  await page.waitForURL(/#del-setnx-lock:12211122$/);
  assert.match(await panel(page).innerText(), /The shortest run with as few faults as possible is on the bench/);
});

test('a search of other bounds says so when it ends late', async () => {
  await holdAnswers(own.context);
  const page = await openPage(own.context, '#stamp-lock:');
  await hold(page);
  await page.getByLabel('Instants').fill('5');
  await search(page);
  await arrived(page);
  await page.getByLabel('Instants').fill('2');
  await release(page);
  await page.locator('.late-verdict').waitFor();
  assert.match(await page.locator('.late-verdict').innerText(), /stamp-lock,instants=5 has ended: A run breaks it/);
  assert.equal(await page.locator('.bounds .verdict').count(), 0);
  assert.equal(await stepsOn(page), 0);
  await page.getByRole('button', { name: 'Show it' }).click();
  await page.waitForURL(/#stamp-lock,instants=5:\w+$/);
  await page.locator('.bounds .verdict-violated').waitFor();
  assert.equal(await page.getByLabel('Instants').inputValue(), '5');
});

test('a verdict does not follow into another lesson, and does not arrive there late', async () => {
  await holdAnswers(own.context);
  const page = await openPage(own.context, '#stamp-lock:');
  await search(page);
  await page.locator('.bounds .verdict-proved').waitFor();
  await page.evaluate(() => void (location.hash = '#del-setnx-lock:'));
  await page.locator('h1', { hasText: 'del-setnx-lock' }).waitFor();
  assert.equal(await page.locator('.bounds .verdict').count(), 0);
  await hold(page);
  await search(page);
  await arrived(page);
  await page.evaluate(() => void (location.hash = '#stamp-equal-lock:'));
  await page.locator('h1', { hasText: 'stamp-equal-lock' }).waitFor();
  await release(page);
  await page.waitForTimeout(200);
  assert.equal(await page.locator('.bounds .verdict, .late-verdict').count(), 0);
  assert.match(page.url(), /#stamp-equal-lock:$/);
  assert.equal(await stepsOn(page), 0);
});

test('a search is cancelled by leaving the lesson', async () => {
  const page = await openPage(own.context, '#stamp-lock:');
  await endless(page);
  await page.getByRole('button', { name: 'Lessons' }).click();
  await page.locator('.map').waitFor();
  await page.goBack();
  await page.locator('.bench').waitFor();
  assert.equal(await page.locator('.searching, .verdict').count(), 0);
});

test('the comparison of a player who went on is offered', async () => {
  await holdAnswers(own.context);
  const page = await openPage(own.context, '#del-setnx-lock:11');
  await hold(page);
  await page.getByRole('button', { name: 'Compare with the shortest run' }).click();
  await arrived(page);
  await press(page, '2');
  await release(page);
  const button = page.locator('.compare-panel > p').getByRole('button', { name: 'Compare' });
  await button.waitFor();
  assert.match(page.url(), /#del-setnx-lock:112$/);
  await button.click();
  await page.waitForURL(/#del-setnx-lock:112&with=del-setnx-lock:12211122$/);
});

test('the wrong repair of a player who went on is offered', async () => {
  await holdAnswers(own.context);
  const page = await openPage(own.context, '#del-setnx-lock:');
  await press(page, '12211122');
  await hold(page);
  await page.getByRole('button', { name: 'GET once more right before DEL' }).click();
  await arrived(page);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.waitForURL(/#del-setnx-lock:1221112$/);
  await release(page);
  const button = page.locator('.repair').getByRole('button', { name: 'Open the run' });
  await button.waitFor();
  assert.match(page.url(), /#del-setnx-lock:1221112$/);
  await button.click();
  await page.waitForURL(/#del-setnx-lock-recheck:\d+&repair=del-setnx-lock$/);
});

test('fields have the bounds of the address', async () => {
  const page = await openPage(own.context, '#stamp-lock:');
  await page.getByLabel('Instants').fill('5');
  await panel(page).getByRole('button', { name: 'Play with these bounds' }).click();
  await page.waitForURL(/#stamp-lock,instants=5:$/);
  assert.equal(await page.getByLabel('Instants').inputValue(), '5');
  await page.goBack();
  await page.waitForURL(/#stamp-lock:$/);
  await page.waitForFunction(() => document.querySelector('.bounds input[name=instants]').value === '');
  await page.goForward();
  await page.waitForFunction(() => document.querySelector('.bounds input[name=instants]').value === '5');
  await page.getByLabel('Clients').fill('3');
  await page.locator('h1').click();
  await press(page, '1');
  await page.waitForURL(/#stamp-lock,instants=5:1$/);
  assert.equal(await page.getByLabel('Clients').inputValue(), '3');
  assert.equal(await page.getByLabel('Instants').inputValue(), '5');
});

test('wrong bounds are said beside the fields, until they are changed', async () => {
  const page = await openPage(own.context, '#stamp-lock:');
  await page.getByLabel('Clients').fill('99');
  const alert = panel(page).getByRole('alert');
  for (const button of ['Play with these bounds', 'Search all runs']) {
    await panel(page).getByRole('button', { name: button }).click();
    await alert.waitFor();
    assert.match(await alert.first().innerText(), /clients.*99.*from 1 to 8/);
  }
  await page.getByLabel('Clients').fill('2');
  assert.equal(await alert.count(), 0);
  await search(page);
  await page.locator('.bounds .verdict-proved').waitFor();
  assert.equal(await page.getByRole('alert').count(), 0);
});

test('what is vacuous within the bounds is left out, as by the program', async () => {
  const page = await openPage(own.context, '#lease-lock,clients=1:');
  await search(page);
  const proof = page.locator('.bounds .verdict-proved');
  await proof.waitFor();
  assert.match(await proof.innerText(), /Left out[^]*lease-exclusion/);
  await page.getByLabel('Property').selectOption('lease-exclusion');
  await search(page);
  await page.locator('.bounds .verdict-invalid').waitFor();
});

test('a wait for ever is drawn as a loop', async () => {
  const page = await openPage(own.context, '#starvation-spin:');
  await search(page);
  const card = page.locator('.bounds .verdict-loop');
  await card.waitFor();
  assert.match(await card.innerText(), /repeats for ever/);
  assert.match(await page.locator('.diagram').innerText(), /repeat for ever/);
});

test('a worker that runs out of memory decides nothing, and the page goes on', async () => {
  await own.context.addInitScript(() => {
    const Usual = window.Worker;
    window.Worker = class extends Usual {
      postMessage(message) {
        if (!window.starved || message.kind !== 'explore') return super.postMessage(message);
        window.starved = false;
        const data = { kind: 'failed', why: 'RangeError: WebAssembly.Memory.grow(): maximum memory size exceeded' };
        setTimeout(() => this.dispatchEvent(new MessageEvent('message', { data })));
      }
    };
  });
  const page = await openPage(own.context, '#stamp-lock:');
  await page.evaluate(() => void (window.starved = true));
  await search(page);
  const card = page.locator('.bounds .verdict-incomplete');
  await card.waitFor();
  assert.match(await card.innerText(), /Not decided[^]*more memory/);
  await search(page);
  await page.locator('.bounds .verdict-proved').waitFor();
  await press(page, '1');
  assert.equal(await stepsOn(page), 1);
  assert.deepEqual(page.complaints, []);
});

test('without an end of time a stamp lock is not decided, and it is said what to write', async () => {
  const page = await openPage(own.context, '#del-setnx-lock,instants=endless:');
  await search(page);
  await page.locator('.verdict-incomplete').waitFor();
  const says = await page.locator('.verdict-incomplete').innerText();
  assert.match(says, /SETNX lock\.foo \d+ depends on what time it is.*give a number of instants, for example 5/);
  assert.doesNotMatch(says, /up to the longest|bound the instants/);
});

test('a property has the same words in the menu and in the verdict', async () => {
  const page = await openPage(own.context, '#lease-lock,clients=1,faults=none,instants=2:');
  await page.locator('.bench').waitFor();
  const menu = await page.locator('select[name="property"] option').allTextContents();
  await search(page);
  await page.locator('.verdict-proved').waitFor();
  const leftOut = page.locator('.verdict details', { hasText: 'Left out' });
  await leftOut.locator('summary').click();
  const left = await leftOut.locator('p').allInnerTexts();
  assert.ok(left.length > 0);
  for (const line of left) {
    const [word, names] = line.split(': ');
    const choice = menu.find((text) => text.startsWith(`${word}: `));
    assert.ok(choice?.includes(names.split(', ')[0]), `${line} is not in ${menu.join(' | ')}`);
  }
  assert.match(await page.locator('.verdict').innerText(), /mutual-exclusion|lease-exclusion|fencing-grows/);
});

// Each request to a worker is held back, so that the page's own game, which warms up the engine, begins
// while the player's requests are under way.
test('hints and the explanation do not lose their searches to each other', async () => {
  await own.context.addInitScript(() => {
    const { postMessage } = Worker.prototype;
    const after = window.setTimeout;
    window.setTimeout = (act, ms) => after(act, ms === 200 ? 1000 : ms);
    Worker.prototype.postMessage = function (request) {
      after(() => postMessage.call(this, request), request.kind === 'engine' ? 0 : 2000);
    };
  });
  const page = await openPage(own.context, '#del-setnx-lock:1');
  await page.locator('.bench').waitFor();
  await page.keyboard.press('h');
  await page.locator('.hint').filter({ hasText: 'more steps' }).waitFor();
  const broken = await openPage(own.context, '#del-setnx-lock,clients=3:12211322');
  await broken.locator('.why-other').waitFor();
});

test('the command is that of the search which the fields ask for, or which goes on', async () => {
  const page = await openPage(own.context, '#del-setnx-lock:');
  const command = () => panel(page).locator('.replay code').innerText();
  await page.getByLabel('Property').selectOption('deadlock');
  await search(page);
  await page.locator('.bounds .verdict').waitFor();
  assert.equal(await command(), 'interlock explore del-setnx-lock --property deadlock');
  await page.getByLabel('Property').selectOption('');
  await page.getByLabel('Clients').fill('1');
  await page.getByLabel('Faults').first().fill('2/crash, pause');
  assert.equal(await command(), "interlock explore del-setnx-lock --clients 1 --faults '2/crash,pause'");
  await page.goto(page.url().replace(/#.*/, '#stamp-lock:'));
  await page.locator('h1', { hasText: 'stamp-lock' }).waitFor();
  await endless(page);
  await page.getByLabel('Clients').fill('1');
  assert.equal(await command(), 'interlock explore stamp-lock --clients 6 --attempts 3 --instants 4');
  await panel(page).getByRole('button', { name: 'Cancel' }).click();
  await panel(page).getByText('The search of stamp-lock,clients=6,attempts=3,instants=4 was cancelled').waitFor();
  assert.equal(await command(), 'interlock explore stamp-lock --clients 1 --attempts 3 --instants 4');
});

test('a move keeps the bounds that were typed, and a cancel after it is said', async () => {
  const page = await openPage(own.context, '#stamp-lock:');
  await endless(page);
  await page.locator('h1').click();
  await press(page, '1');
  assert.equal(await page.getByLabel('Clients').inputValue(), '6');
  await panel(page).getByRole('button', { name: 'Cancel' }).click();
  await panel(page).getByText('The search was cancelled').waitFor();
});
