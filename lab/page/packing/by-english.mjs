// `import sentences from 'lessons.zh.json?by-english'`: the translations of a file by the fingerprint
// of their English, which the page need not carry, because the engine has it.
import { readFileSync } from 'node:fs';
import { fingerprint } from '../src/texts/fingerprint.mjs';

// The file's texts, one after the other: of which lesson and field, in English and translated.
export function* textsOf(lessons) {
  for (const [lesson, fields] of Object.entries(lessons)) {
    for (const [field, { en, ...translations }] of Object.entries(fields)) {
      const [translated] = Object.values(translations);
      yield { lesson, field, en, translated };
    }
  }
}

export function sentencesOf(lessons) {
  const sentences = {};
  const english = {};
  for (const { lesson, field, en, translated } of textsOf(lessons)) {
    const name = fingerprint(en);
    if (name in english && (english[name] !== en || sentences[name] !== translated)) {
      throw new Error(`${lesson}, ${field}: another translation, or another text, has its fingerprint`);
    }
    english[name] = en;
    sentences[name] = translated;
  }
  return sentences;
}

const mark = '?by-english';
// Ends as a script's name, so that nobody takes it for the JSON that it is made from.
const prefix = '\0by-english:';

export function byEnglish() {
  return {
    name: 'by-english',
    enforce: 'pre',
    async resolveId(id, importer) {
      if (!id.endsWith(mark)) return null;
      const file = await this.resolve(id.slice(0, -mark.length), importer);
      return file && `${prefix}${file.id}.mjs`;
    },
    load(id) {
      if (!id.startsWith(prefix)) return null;
      const file = id.slice(prefix.length, -'.mjs'.length);
      this.addWatchFile(file);
      return `export default ${JSON.stringify(sentencesOf(JSON.parse(readFileSync(file, 'utf8'))))}`;
    },
  };
}
