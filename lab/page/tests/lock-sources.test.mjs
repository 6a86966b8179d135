// The code of the locks is found in the sources.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { functionsOf } from '../packing/lock-sources.mjs';

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
