// The page's address: `#SHORT` is a run on the bench, `#SHORT&repair=LESSON` the run of a candidate
// repair. An empty address is the map.
export interface Address {
  short: string;
  repairOf: string;
}

const repairMark = '&repair=';

export function readAddress(hash: string): Address | null {
  const text = decode(hash.replace(/^#/, ''));
  if (text === '') return null;
  const at = text.lastIndexOf(repairMark);
  if (at < 0) return { short: text, repairOf: '' };
  return { short: text.slice(0, at), repairOf: text.slice(at + repairMark.length) };
}

export function writeAddress(address: Address): string {
  const tail = address.repairOf ? repairMark + address.repairOf : '';
  return '#' + encodeURI(address.short + tail).replaceAll('%5E', '^');
}

function decode(text: string): string {
  try {
    return decodeURI(text);
  } catch {
    return text;
  }
}
