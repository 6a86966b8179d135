// Bounds as the one-line form of a run has them.
export const boundNames = ['clients', 'attempts', 'instants', 'faults', 'property'] as const;
export type BoundName = (typeof boundNames)[number];
// `deadlock` has no field: an address that allows it keeps it.
const optionNames = [...boundNames, 'deadlock'] as const;
export type Bounds = Partial<Record<(typeof optionNames)[number], string>>;

// The run without a step in which the scenario has these bounds.
export function beginning(scenario: string, bounds: Bounds): string {
  const options = optionNames
    .map((name) => [name, (bounds[name] ?? '').replace(/\s+/g, '')] as const)
    .filter(([, value]) => value !== '')
    // A comma would begin the next option.
    .map(([name, value]) => `,${name}=${value.replaceAll(',', '+')}`);
  return `${scenario}${options.join('')}:`;
}
