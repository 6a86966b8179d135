// Plays all lessons, and puts each sentence of the engine that the page shows into Chinese.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { sentencesOf } from '../packing/by-english.mjs';
import { makeTranslator } from '../src/texts/translator.mjs';
import { startEngine } from './engine.mjs';

const read = (name) => JSON.parse(readFileSync(new URL(`../texts/${name}.json`, import.meta.url)));
const translate = makeTranslator({
  sentences: sentencesOf(read('lessons.zh')),
  phrases: read('engine.zh'),
  comma: '，',
});

// What stays as it is: commands with their arguments, names of keys and locks, tasks of clients,
// words that are typed as bounds.
const code = [
  /\b[A-Z]{3,}\b( [^ ,，。：]+)*/g,
  /(\{\w+\}|\binterlock):[:\w]*/g,
  /“[^”]*”/g,
  /\b(registry|wants|reads)\/[.\w]+/g,
  /\b(lock\.foo|bill\/\d|account[-\/]\d|host-1\S*|permit(-\d)?|tickets|acct:\d|deploy|nightly|database|transfer|writing|reading|pool)\b/g,
  /\b[a-z]+(-[a-z]+)+\b/g,
  /\b(crash|pause|duplicate|restart|failover|eviction|drift|unreachable|rejected|predicate|never)\b/g,
  /\b(ms|ttl|clients|attempts|instants|faults|property|deadlock|endless|none|loop_head|remembers)\b/g,
];
const isCommand = (text) => /^[A-Z]{3,}( [^ ,]*)*$/.test(text);

function isEnglish(text) {
  if (isCommand(text)) return false;
  const other = translate(text);
  return other === text || /[a-z]{2,}/.test(code.reduce((left, words) => left.replace(words, ''), other));
}

// Each sentence of a state of a game.
function* sentencesIn(state) {
  yield state.bounds;
  for (const goal of state.goals) yield goal.text;
  for (const property of state.properties) yield property.name;
  for (const move of state.moves) yield move.text;
  yield* sentencesOfRun(state.run);
}

function* sentencesOfRun([head, ...steps]) {
  if (head.violates) yield head.violates;
  for (const step of steps) {
    yield step.what;
    for (const { next } of step.after.clients) if (next) yield next;
    for (const text of [step.fault, step.note, step.violates]) if (text) yield text;
    if (/^\(?[a-z]/.test(step.reply ?? '')) yield step.reply;
  }
}

// The same numbers in each run of the test.
function dice(seed) {
  let state = seed;
  return (most) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
}

const longest = 40;

function* played(call, short, games, roll) {
  for (let game = 0; game < games; game += 1) {
    let state = JSON.parse(call('open', short));
    for (let step = 0; !state.error && step < longest && state.moves.length > 0; step += 1) {
      yield* sentencesIn({ ...state, run: state.run.slice(0, 1) });
      state = JSON.parse(call('play', state.moves[roll(state.moves.length)].key));
    }
    if (state.error) yield state.error;
    else yield* sentencesIn(state);
  }
}

function* searched(call, short, states) {
  if (JSON.parse(call('open', short)).error) return;
  const found = JSON.parse(call('explore', states));
  const { bounds, reason, property, trusts } = found.verdict;
  for (const text of [bounds, reason, property, ...trusts]) if (text) yield text;
  for (const { why } of found.left_out) yield why;
  if (found.run.length > 0) yield* sentencesOfRun(found.run);
}

function wrongIn(sentences) {
  const wrong = new Set();
  for (const text of sentences) if (isEnglish(text)) wrong.add(`${text}  →  ${translate(text)}`);
  return [...wrong];
}

const call = await startEngine();
const scenarios = JSON.parse(call('scenarios'));
const roll = dice(1);

test('what the engine says in a game of a lesson has Chinese', () => {
  const wrong = scenarios.flatMap(({ name }) => wrongIn(played(call, `${name}:`, 4, roll)));
  assert.equal([...new Set(wrong)].join('\n'), '');
});

test('so do all faults, and other bounds', () => {
  const variants = ['faults=2', 'instants=4,faults=3', 'instants=endless', 'clients=1', 'attempts=2,clients=3'];
  const wrong = scenarios.flatMap(({ name }) =>
    variants.flatMap((bounds) => wrongIn(played(call, `${name},${bounds}:`, 1, roll))),
  );
  assert.equal([...new Set(wrong)].join('\n'), '');
});

test('and what it says of searches', () => {
  const wrong = scenarios.flatMap(({ name }) => wrongIn(searched(call, `${name}:`, 5_000)));
  for (const bounds of ['clients=1', 'instants=endless', 'property=lease-exclusion']) {
    wrong.push(...scenarios.flatMap(({ name }) => wrongIn(searched(call, `${name},${bounds}:`, 2_000))));
  }
  assert.equal([...new Set(wrong)].join('\n'), '');
});

test('and of wrong addresses and bounds', () => {
  const lesson = 'del-setnx-lock';
  const wrong = [
    ...['nope:', lesson, ':11', `${lesson}:1?`, `${lesson}:19`, `${lesson}:(11)2`, `${lesson}:(1122`],
    ...['clients', 'clients=0', 'attempts=101', 'instants=0', 'clients=2,clients=3', 'colour=red'].map(
      (bounds) => `${lesson},${bounds}:`,
    ),
    ...['fire', '99999', '99999/crash', 'none+crash', 'crash+crash', '1+2'].map((faults) => `${lesson},faults=${faults}:`),
    ...['nothing', 'no-orphan', 'deadlock,deadlock=allowed'].map((kind) => `${lesson},property=${kind}:`),
    ...['failover-loses-write,clients=3:', 'queue-lock,attempts=3:', `${lesson}:122111221`],
    ...['123(1)', '123(11122231)', '12()', '12(1', '123(11122233)1', '(1)2'].map((run) => `reader-starves-writer:${run}`),
    ...[`${lesson}:12211122()`, `${lesson}:1221112(2)`, `${lesson}:12111()`, 'lease-lock,instants=3:11t()', 'clock-skew:()', 'starvation-spin,instants=3:12()'],
  ].map((short) => [short, JSON.parse(call('open', short)).error]);
  for (const [short, error] of wrong) assert.ok(error, short);
  assert.equal(wrongIn(wrong.map(([, error]) => error)).join('\n'), '');
});
