// usage: node benchmarks/lab-page.mjs [PAGE [MINUTES [LESSONS]]]
// What a reader of the laboratory's page waits for, in headless Chromium (CHROMIUM names another one
// than /usr/bin/chromium): the first paint, the page that is ready, a move's answer, a search of a
// million states and its cancelling. Then MINUTES (1) of random play in LESSONS (20) lessons, with the
// memory after each tenth of it. The page's tests check none of these figures: they depend on the machine.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startBrowser } from '../lab/page/tests/page.mjs';

const [file = 'lab/page/dist/lab.html', minutes = '1', lessons = '20'] = process.argv.slice(2);
const address = pathToFileURL(resolve(file)).href;
const starts = 5;
const moves = 200;

const sorted = (list) => [...list].sort((one, other) => one - other);
const median = (list) => sorted(list)[Math.floor(list.length / 2)];
const summary = (list) => `median ${median(list).toFixed(0)} ms, most ${Math.max(...list).toFixed(0)} ms`;
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

// Runs in the page before its own script.
function watchPage() {
  window.ready = 0;
  new MutationObserver(() => {
    if (window.ready === 0 && document.querySelector('.map, .bench')) window.ready = performance.now();
  }).observe(document, { childList: true, subtree: true });
  const usual = WebAssembly.instantiate;
  WebAssembly.instantiate = async (...given) => {
    const instance = await usual(...given);
    window.engineMemory = instance.exports.memory;
    return instance;
  };
  const frame = () => new Promise((go) => requestAnimationFrame(go));
  const steps = () => document.querySelectorAll('.diagram .step').length;
  // From the click until the frame after the one that shows the step.
  window.clickMove = async (choose) => {
    const open = [...document.querySelectorAll('.move')];
    if (open.length === 0) return null;
    const before = steps();
    const begun = performance.now();
    open[Math.floor(choose * open.length)].click();
    while (steps() === before) await frame();
    await frame();
    return performance.now() - begun;
  };
  window.openRun = async (short) => {
    location.hash = `#${short}`;
    const name = short.split(/[,:]/)[0];
    while (document.querySelector('h1')?.textContent !== name || steps() !== 1) await frame();
  };
}

async function fresh(browser) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.addInitScript(watchPage);
  await page.goto(address);
  await page.waitForSelector('.map');
  return page;
}

async function measureStarts(browser) {
  const paints = [];
  const readies = [];
  for (let start = 0; start < starts; start += 1) {
    const page = await fresh(browser);
    const [paint, ready] = await page.evaluate(() => [
      performance.getEntriesByName('first-contentful-paint')[0].startTime,
      window.ready,
    ]);
    paints.push(paint);
    readies.push(ready);
    await page.context().close();
  }
  console.log(`first paint: ${summary(paints)} of ${starts}`);
  console.log(`ready: ${summary(readies)} of ${starts}`);
}

async function measureClicks(page, names) {
  const took = [];
  while (took.length < moves) {
    await page.evaluate((short) => window.openRun(short), `${names[took.length % names.length]}:`);
    for (let step = 0; step < 12; step += 1) {
      const time = await page.evaluate((choose) => window.clickMove(choose), Math.random());
      if (time === null) break;
      took.push(time);
    }
  }
  console.log(`a move's answer: ${summary(took)} of ${took.length}`);
}

async function measureSearch(page) {
  await page.evaluate((short) => window.openRun(short), 'stamp-lock,clients=6,attempts=3,instants=4:');
  const begun = performance.now();
  await page.locator('.bounds button[type=submit]').click();
  await page.waitForFunction(() => {
    const states = /([\d,]+) states/.exec(document.querySelector('.searching')?.textContent ?? '');
    return states && Number(states[1].replaceAll(',', '')) > 1e6;
  }, null, { timeout: 300_000 });
  const million = performance.now() - begun;
  const cancelled = await page.evaluate(async () => {
    const clicked = performance.now();
    document.querySelector('.searching button').click();
    while (document.querySelector('.searching')) await new Promise((go) => requestAnimationFrame(go));
    return performance.now() - clicked;
  });
  console.log(`a million states: ${(million / 1000).toFixed(1)} s; cancelled after ${cancelled.toFixed(0)} ms`);
}

async function playAtRandom(page, names) {
  const client = await page.context().newCDPSession(page);
  await client.send('Performance.enable');
  const memory = async () => {
    await client.send('HeapProfiler.collectGarbage');
    const { metrics } = await client.send('Performance.getMetrics');
    const of = (name) => metrics.find((metric) => metric.name === name).value;
    const engine = await page.evaluate(() => window.engineMemory.buffer.byteLength);
    return `heap ${megabytes(of('JSHeapUsedSize'))}, engine ${megabytes(engine)}, ${of('Nodes')} nodes`;
  };
  console.log(`before random play: ${await memory()}`);
  const part = (Number(minutes) * 60_000) / 10;
  let played = 0;
  for (let tenth = 1; tenth <= 10; tenth += 1) {
    const end = performance.now() + part;
    while (performance.now() < end) {
      await page.evaluate((short) => window.openRun(short), `${names[Math.floor(Math.random() * names.length)]}:`);
      played += await page.evaluate(async () => {
        let taken = 0;
        while (taken < 30 && (await window.clickMove(Math.random())) !== null) taken += 1;
        return taken;
      });
    }
    console.log(`after ${((part * tenth) / 60_000).toFixed(1)} min, ${played} moves: ${await memory()}`);
  }
}

const browser = await startBrowser();
try {
  await measureStarts(browser);
  const page = await fresh(browser);
  const names = (await page.locator('.card-name').allInnerTexts()).slice(0, Number(lessons));
  await measureClicks(page, names);
  await measureSearch(page);
  await playAtRandom(page, names);
} finally {
  await browser.close();
}
