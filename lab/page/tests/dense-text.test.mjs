// What the page carries as text is unpacked as it was.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createContext, runInContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { denseText } from '../packing/dense-text.mjs';

const loader = readFileSync(new URL('../packing/loader.js', import.meta.url), 'utf8');

// The loader, in a page that carries this content.
function unpacked(content) {
  const bytes = gzipSync(content);
  const carried = { textContent: denseText(bytes), dataset: { bytes: `${bytes.length}` } };
  const element = () => ({});
  const document = { getElementById: () => carried, createElement: element, body: { append() {} } };
  const page = createContext({ document, Uint8Array, Blob, Response, DecompressionStream });
  runInContext(loader, page);
  return page.unpack('engine').arrayBuffer();
}

test('bytes of each length come back', async () => {
  for (let length = 0; length < 60; length += 1) {
    const content = Buffer.from(Array.from({ length }, (_, at) => (at * 89 + length * 7) % 256));
    assert.deepEqual(Buffer.from(await unpacked(content)), content, `${length}`);
  }
});

test('the text ends no script', () => {
  const all = Buffer.from(Array.from({ length: 100_000 }, (_, at) => (at * 2_654_435_761) >>> 24));
  assert.match(denseText(all), /^[!-~]*$/);
  assert.doesNotMatch(denseText(all), /</);
});
