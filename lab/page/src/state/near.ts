// The names that a mistyped one may mean.
function distance(one: string, other: string): number {
  let before = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [row, letter] of [...one].entries()) {
    const now = [row + 1];
    for (const [at, second] of [...other].entries()) {
      const changed = before[at]! + (letter === second ? 0 : 1);
      now.push(Math.min(changed, before[at + 1]! + 1, now[at]! + 1));
    }
    before = now;
  }
  return before[other.length]!;
}

const most = 3;
const longest = 60;

export function nearNames(word: string, names: string[]): string[] {
  const meant = word.slice(0, longest).toLowerCase().replaceAll('_', '-');
  if (meant.length < 3) return [];
  const parts = meant.split('-').filter((part) => part.length > 2);
  const far = (name: string) => {
    const shared = parts.filter((part) => name.includes(part)).length;
    return distance(meant, name) - 3 * shared - (name.includes(meant) ? 10 : 0);
  };
  return names
    .map((name) => ({ name, far: far(name) }))
    .filter((one) => one.far <= Math.max(2, meant.length / 3))
    .sort((one, other) => one.far - other.far)
    .slice(0, most)
    .map(({ name }) => name);
}
