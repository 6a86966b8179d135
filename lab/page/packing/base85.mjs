// Bytes as printable text: five letters for four bytes, where base64 has four for three. No letter
// means anything inside a script element of HTML.
const letters = [...Array(94).keys()].map((code) => String.fromCharCode(code + 33));
const alphabet = letters.filter((letter) => !`"&'<>\\\`$%`.includes(letter)).join('');

// Of the last bytes, fewer than four, one letter more than bytes.
export function encode85(bytes) {
  let text = '';
  for (let at = 0; at < bytes.length; at += 4) {
    const count = Math.min(bytes.length - at, 4);
    let number = 0;
    for (let byte = 0; byte < 4; byte += 1) number = number * 256 + (bytes[at + byte] ?? 0);
    const group = [];
    for (let digit = 0; digit < 5; digit += 1) {
      group.unshift(alphabet[number % 85]);
      number = Math.floor(number / 85);
    }
    text += group.slice(0, count + 1).join('');
  }
  return text;
}

export function decode85(text) {
  const digits = new Uint8Array(128);
  [...alphabet].forEach((letter, digit) => (digits[letter.charCodeAt(0)] = digit));
  const bytes = new Uint8Array(Math.floor((text.length * 4) / 5));
  for (let at = 0, byte = 0; at < text.length; at += 5, byte += 4) {
    let number = 0;
    for (let digit = 0; digit < 5; digit += 1) {
      const left = at + digit < text.length;
      number = number * 85 + (left ? digits[text.charCodeAt(at + digit)] : 84);
    }
    for (let shift = 0; shift < 4; shift += 1) {
      if (byte + shift < bytes.length) bytes[byte + shift] = Math.floor(number / 256 ** (3 - shift)) % 256;
    }
  }
  return bytes;
}
