// The same order for the same seed.
export function shuffled<Item>(items: readonly Item[], seed: string): Item[] {
  let state = 2166136261;
  for (const letter of seed) state = Math.imul(state ^ letter.charCodeAt(0), 16777619) >>> 0;
  const list = [...items];
  for (let last = list.length - 1; last > 0; last -= 1) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const other = Math.floor((state / 2 ** 32) * (last + 1));
    [list[last], list[other]] = [list[other]!, list[last]!];
  }
  return list;
}
