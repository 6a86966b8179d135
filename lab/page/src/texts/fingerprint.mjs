// A short name for an English text: the page carries translations by it, and not the English, which
// the engine gives. Line breaks and indentation do not count.
export function fingerprint(text) {
  let hash = 0x811c9dc5;
  for (const letter of text.replace(/\s+/g, ' ').trim()) {
    hash = Math.imul(hash ^ letter.codePointAt(0), 0x01000193);
  }
  return (hash >>> 0).toString(36);
}
