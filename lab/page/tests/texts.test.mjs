// Both languages have the same texts, with the same values in them.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const read = (name) => JSON.parse(readFileSync(new URL(`../texts/${name}.json`, import.meta.url)));
const values = (text) => [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1]).sort();

test('every English text has a Chinese one', () => {
  const en = read('en');
  const zh = read('zh');
  for (const [name, text] of Object.entries(en)) {
    if (name.endsWith('.one')) continue;
    assert.ok(name in zh, name);
    assert.deepEqual(values(zh[name]), values(text), name);
  }
  for (const name of Object.keys(zh)) assert.ok(name in en, name);
});
