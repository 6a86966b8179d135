// Opens the built page in a browser, and notes what it asks for and complains about.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const file = resolve(import.meta.dirname, '../dist/lab.html');
export const pageUrl = pathToFileURL(file).href;
export const engineFile = resolve(
  import.meta.dirname,
  '..',
  process.env.LAB_WASM ?? '../../build/wasm/bin/lab.wasm',
);

export async function startBrowser() {
  if (!existsSync(file)) throw new Error('dist/lab.html is missing: run npm run build first');
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
  });
}

export async function openPage(context, hash = '') {
  const page = await context.newPage();
  page.requests = [];
  page.complaints = [];
  page.on('request', (request) => page.requests.push(request.url()));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) page.complaints.push(message.text());
  });
  page.on('pageerror', (error) => page.complaints.push(error.message));
  await page.goto(pageUrl + hash);
  await page.waitForSelector('.map, .bench');
  return page;
}

export async function press(page, keys) {
  for (const key of keys) await page.keyboard.press(key);
}
