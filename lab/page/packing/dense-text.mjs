// Bytes as text that may stand in a script element: 13 bits are two of 91 characters, so four bytes
// are five characters, where base64 needs five and a third. The page's loader.js reads them.
const first = '#'.charCodeAt(0);
// It would begin a tag, and is left out.
const tag = '<'.charCodeAt(0);
const letters = 91;
const bits = 13;

const letterOf = (number) => {
  const code = first + number;
  return String.fromCharCode(code < tag ? code : code + 1);
};

export function denseText(bytes) {
  let text = '';
  let held = 0;
  let waiting = 0;
  const put = (number) => {
    text += letterOf(number % letters) + letterOf(Math.floor(number / letters));
  };
  for (const byte of bytes) {
    waiting |= byte << held;
    held += 8;
    if (held < bits) continue;
    put(waiting & ((1 << bits) - 1));
    waiting >>= bits;
    held -= bits;
  }
  if (held > 0) put(waiting);
  return text;
}
