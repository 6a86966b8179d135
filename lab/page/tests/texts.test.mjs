// The interface, the lessons and the engine's phrases have a Chinese text each, with the same values.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { sentencesOf, textsOf } from '../packing/by-english.mjs';
import { fingerprint } from '../src/texts/fingerprint.mjs';
import { makeTranslator } from '../src/texts/translator.mjs';
import { startEngine } from './engine.mjs';

const read = (name) => JSON.parse(readFileSync(new URL(`../texts/${name}.json`, import.meta.url)));
const placeholders = (text) => [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1]).sort();
const lessons = read('lessons.zh');

test('every English text of the interface has a Chinese one', () => {
  const en = read('en');
  const zh = read('zh');
  for (const [name, text] of Object.entries(en)) {
    if (name.endsWith('.one')) continue;
    assert.ok(name in zh, name);
    assert.deepEqual(placeholders(zh[name]), placeholders(text), name);
  }
  for (const name of Object.keys(zh)) assert.ok(name in en, name);
});

// The fields of a lesson that the page shows. A source that only names an issue needs no translation.
function* fieldsOf(scenario) {
  for (const field of ['summary', 'explanation', 'fix']) {
    if (scenario[field]) yield [field, scenario[field]];
  }
  for (const repair of scenario.repairs) {
    yield [`repair ${repair.scenario}`, repair.what];
    yield [`answer ${repair.scenario}`, repair.answer];
  }
  for (const [at, source] of scenario.sources.entries()) {
    if (!/^\S+#\d+$/.test(source)) yield [`source ${at + 1}`, source];
  }
}

const inOneLine = (text) => text.replace(/\s+/g, ' ').trim();

test('every text of the catalogue is translated from its present English', async () => {
  const scenarios = JSON.parse((await startEngine())('scenarios'));
  const wrong = [];
  const left = new Set([...textsOf(lessons)].map(({ lesson, field }) => `${lesson}, ${field}`));
  for (const scenario of scenarios) {
    for (const [field, english] of fieldsOf(scenario)) {
      const name = `${scenario.name}, ${field}`;
      left.delete(name);
      const text = lessons[scenario.name]?.[field];
      if (!text) wrong.push(`${name}: has no translation: ${inOneLine(english)}`);
      else if (text.en !== inOneLine(english)) {
        wrong.push(`${name}: translated from: ${text.en}\n  but now it says: ${inOneLine(english)}`);
      }
    }
  }
  for (const name of left) wrong.push(`${name}: is translated, and is not in the catalogue`);
  assert.equal(wrong.join('\n'), '');
});

const stepsIn = (text, mention) => [...text.matchAll(mention)].map(([, step]) => step).sort();
const codeIn = (text) => text.match(/\b[A-Z]{3,}\b|\b[a-z]+\/[\w.]+|--\w+/g) ?? [];

test('a translated lesson speaks of the same steps and commands', () => {
  for (const { lesson, field, en, translated } of textsOf(lessons)) {
    const name = `${lesson}, ${field}`;
    const steps = stepsIn(en, /\b[Ss]teps? (\d+)/g);
    assert.deepEqual(stepsIn(translated, /第 (\d+) 步/g), steps, name);
    for (const code of codeIn(en)) assert.ok(translated.includes(code), `${name}: ${code}`);
  }
});

test('one English text has one translation', () => {
  const known = new Map();
  for (const { lesson, field, en, translated } of textsOf(lessons)) {
    assert.equal(known.get(en) ?? translated, translated, `${lesson}, ${field}`);
    known.set(en, translated);
  }
});

test('the page finds a translation by its English, wherever the lines break', () => {
  const sentences = sentencesOf({ a: { summary: { en: 'one two', zh: '一二' } } });
  assert.equal(sentences[fingerprint('one\n  two')], '一二');
  const twice = { a: { summary: { en: 'one', zh: '一' } }, b: { summary: { en: 'one', zh: '壹' } } };
  assert.throws(() => sentencesOf(twice), /b, summary/);
});

test('a phrase of the engine and its translation have the same placeholders', () => {
  for (const [english, chinese] of Object.entries(read('engine.zh'))) {
    assert.deepEqual(placeholders(chinese), placeholders(english), english);
    assert.equal(new Set(placeholders(english)).size, placeholders(english).length, english);
  }
});

test('Chinese texts have Chinese punctuation', () => {
  const chinese = [
    ...Object.values(read('zh')),
    ...Object.values(read('engine.zh')),
    ...[...textsOf(lessons)].map(({ translated }) => translated),
  ];
  const han = '\\p{Script=Han}';
  const mistake = new RegExp(`${han}[,;:!?()"']|[,;!?()"']${han}|[，。；：（）“”] | [，。；：（）“”]`, 'u');
  const unspaced = new RegExp(`${han}[A-Za-z0-9]|[A-Za-z0-9]${han}`, 'u');
  for (const text of chinese) {
    assert.doesNotMatch(text, mistake);
    assert.doesNotMatch(text, unspaced);
  }
});

const others = (text) => text.match(/用作比较|所有者令牌|没有主人的锁|越出证明|保留场景|迟了。/g) ?? [];

test('one Chinese term for one thing', () => {
  for (const name of ['zh', 'lessons.zh', 'engine.zh']) assert.deepEqual(others(JSON.stringify(read(name))), [], name);
});

test('no space stands between two Chinese words', () => {
  const translate = makeTranslator({ sentences: {}, phrases: read('engine.zh'), comma: '，' });
  assert.equal(translate('mutual exclusion of the account'), '账户的互斥');
  assert.equal(translate('mutual exclusion of lock.foo'), 'lock.foo 的互斥');
  assert.equal(translate('make two clients believe at one time that they hold the account'), '让两个客户端同时认为自己持有账户');
  assert.equal(translate('at most 2 faults (lost-request 1, lost-reply 1)'), '最多 2 个故障（请求丢失 1 次，应答丢失 1 次）');
});
