// Opens the built page in a browser, and notes what it asks for and complains about.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, afterEach, before, beforeEach } from 'node:test';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const file = resolve(import.meta.dirname, '../dist/lab.html');
export const pageUrl = pathToFileURL(file).href;

export async function startBrowser() {
  if (!existsSync(file)) throw new Error('dist/lab.html is missing: run npm run build first');
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
  });
}

export async function openPage(context, hash = '') {
  context.setDefaultTimeout(120_000); // a bound against hanging, not a measure
  const page = await context.newPage();
  page.requests = [];
  page.complaints = [];
  page.on('request', (request) => page.requests.push(request.url()));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) page.complaints.push(message.text());
  });
  page.on('pageerror', (error) => page.complaints.push(error.message));
  await page.goto(pageUrl + hash);
  await page.waitForSelector('.map, .bench, .comparison');
  return page;
}

export async function press(page, keys) {
  for (const key of keys) await page.keyboard.press(key);
}

// A browser for the tests of a file, and a fresh context for each of them.
export function useBrowser() {
  const own = { browser: null, context: null, folder: mkdtempSync(join(tmpdir(), 'lab-page-')) };
  before(async () => {
    own.browser = await startBrowser();
  });
  after(async () => {
    await own.browser.close();
    rmSync(own.folder, { recursive: true });
  });
  beforeEach(async () => {
    own.context = await own.browser.newContext();
    own.context.setDefaultTimeout(120_000);
  });
  afterEach(() => own.context.close());
  return own;
}

// How many steps the diagram has.
export const stepsOn = (page) => page.locator('.diagram .step').count().then((all) => all - 1);
