// The page's address: `#SHORT` is a run on the bench, `#SHORT&repair=LESSON` the run of a candidate
// repair, `#SHORT&with=SHORT` two runs side by side, `#file` a run from a file. An empty address is the
// map. `unknown`: marks of the address that mean nothing.
export type Address =
  | { is: 'map' }
  | { is: 'file' }
  | { is: 'run'; short: string; repairOf: string; unknown?: string }
  | { is: 'comparison'; one: string; other: string; repairOf: string; unknown?: string };

export function readAddress(hash: string): Address {
  const text = decode(hash.replace(/^#/, '')).trim();
  if (text === '') return { is: 'map' };
  if (text === 'file') return { is: 'file' };
  const [short = '', ...rest] = text.split('&');
  const unknown = rest.filter((mark) => !/^(repair|with)=/.test(mark)).map((mark) => `&${mark}`).join('');
  const marks = new Map(rest.map((mark) => mark.split(/=(.*)/s, 2) as [string, string | undefined]));
  const repairOf = marks.get('repair') ?? '';
  const other = marks.get('with');
  return other ? { is: 'comparison', one: short, other, repairOf, unknown } : { is: 'run', short, repairOf, unknown };
}

export function writeAddress(address: Address): string {
  if (address.is === 'map') return '';
  if (address.is === 'file') return '#file';
  const repair = address.repairOf ? `&repair=${address.repairOf}` : '';
  const runs = address.is === 'run' ? address.short + repair : `${address.one}${repair}&with=${address.other}`;
  return '#' + encodeURI(runs).replaceAll('%5E', '^');
}

function decode(text: string): string {
  try {
    return decodeURI(text);
  } catch {
    return text;
  }
}
