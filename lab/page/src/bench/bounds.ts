// Bounds as the one-line form of a run has them.
export const boundNames = ['clients', 'attempts', 'instants', 'faults', 'property'] as const;
export type BoundName = (typeof boundNames)[number];
// `deadlock` has no field: an address that allows it keeps it.
const optionNames = [...boundNames, 'deadlock'] as const;
export type Bounds = Partial<Record<(typeof optionNames)[number], string>>;

const lists: readonly string[] = ['faults', 'property'];

// A comma would begin the next option: the parts of a list stand between plus signs.
function valueOf(name: string, typed: string): string {
  if (!lists.includes(name)) return typed.replace(/\s+/g, '').replaceAll(',', '+');
  return typed.trim().replace(/\s*([/:])\s*/g, '$1').replace(/[\s,+]+/g, '+');
}

// The run without a step in which the scenario has these bounds.
export function beginning(scenario: string, bounds: Bounds): string {
  const options = optionNames
    .map((name) => [name, valueOf(name, bounds[name] ?? '')] as const)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `,${name}=${value}`);
  return `${scenario}${options.join('')}:`;
}
