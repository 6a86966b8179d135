// Puts what the engine says in English into another language. Also for Node.js: the tests use it.
import { fingerprint } from './fingerprint.mjs';

// What a placeholder stands for (texts/README.md): `{n}` for a number, `{w}` for a word without a
// space, `{code}` for any text that stays as it is, and others for any text, which is translated.
const staysAsItIs = (name) => /^(n|w|code)\d?$/.test(name);
const expression = (name) => (/^n\d?$/.test(name) ? '(\\d+)' : /^w\d?$/.test(name) ? '(\\S+)' : '(.+?)');

const placeholder = /\{(\w+)\}/;
// A long game says ever new things.
const mostKnown = 5_000;
// A placeholder stands between spaces, which only a foreign word needs.
const spaceInChinese = /(?<=\p{Script=Han}) (?=\p{Script=Han})/gu;
const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

function compile([english, other]) {
  // Text and names of placeholders take turns.
  const parts = english.split(placeholder);
  const names = parts.filter((_, at) => at % 2 === 1);
  const fixed = parts.filter((_, at) => at % 2 === 0);
  const source = parts.map((part, at) => (at % 2 === 1 ? expression(part) : escaped(part))).join('');
  return { matches: new RegExp(`^${source}$`, 's'), names, letters: fixed.join('').length, other };
}

// The parts of a list: commas inside of parentheses divide nothing.
function partsOf(text) {
  const parts = [''];
  let depth = 0;
  for (const piece of text.split(/(, |[()])/)) {
    if (piece === '(') depth += 1;
    if (piece === ')') depth -= 1;
    if (piece === ', ' && depth === 0) parts.push('');
    else parts[parts.length - 1] += piece;
  }
  return parts;
}

// `sentences` are whole texts by fingerprint, `phrases` are patterns: English to the other language;
// `comma` stands between the parts of a list. What is not known stays as it is.
export function makeTranslator({ sentences, phrases, comma }) {
  // The pattern that says most goes first.
  const patterns = Object.entries(phrases)
    .map(compile)
    .sort((one, other) => other.letters - one.letters);
  const known = new Map();

  function byPhrase(text) {
    for (const { matches, names, other } of patterns) {
      const found = matches.exec(text);
      if (!found) continue;
      const filled = other.replace(/\{(\w+)\}/g, (_, name) => {
        const given = found[names.indexOf(name) + 1] ?? '';
        return staysAsItIs(name) ? given : translate(given);
      });
      return filled.replace(spaceInChinese, '');
    }
    return undefined;
  }

  function byParts(text) {
    const parts = partsOf(text);
    if (parts.length === 1) return undefined;
    const others = parts.map(translate);
    return others.some((other, at) => other !== parts[at]) ? others.join(comma) : undefined;
  }

  function translate(text) {
    let other = known.get(text);
    if (other === undefined) {
      other = sentences[fingerprint(text)] ?? byPhrase(text) ?? byParts(text) ?? text;
      if (known.size >= mostKnown) known.clear();
      known.set(text, other);
    }
    return other;
  }
  return translate;
}
