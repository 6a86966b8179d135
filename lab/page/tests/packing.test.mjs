// What the page carries packed comes out as it was, and the code of the locks is found in the sources.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { decode85, encode85 } from '../packing/base85.mjs';
import { functionsOf } from '../packing/lock-sources.mjs';

test('bytes of every length come back', () => {
  for (let length = 0; length < 40; length += 1) {
    const bytes = new Uint8Array(randomBytes(length).fill(255, 0, length >> 1));
    assert.deepEqual(decode85(encode85(bytes)), bytes);
  }
});

test('no letter ends a script or begins another', () => {
  assert.doesNotMatch(encode85(new Uint8Array(randomBytes(10_000))), /[<>&"'\\]/);
});

test('a function is found whole, with what is said above it', () => {
  const text = `namespace a {
// Why.
Task<void> Lock::take(Key key,
                      Ttl ttl) {
  if (ttl) {
    co_await store.get(key);
  }
}

class Other {
 public:
  Task<void> wait() {
    co_await bell;
  }
};
void none() { /* no wait */ }
}  // namespace a
`;
  const [take, wait, ...others] = functionsOf('a.cpp', text);
  assert.deepEqual(others, []);
  assert.equal(take.line, 2);
  assert.match(take.text, /^\/\/ Why\.\nTask<void> Lock::take[^]*\n}$/);
  assert.equal(wait.line, 12);
  assert.equal(wait.text, 'Task<void> wait() {\n  co_await bell;\n}');
});
