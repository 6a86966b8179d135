// Bounds as the engine reads them.
export const boundNames = ['clients', 'attempts', 'instants', 'faults', 'property'] as const;
export type BoundName = (typeof boundNames)[number];
export type Bounds = Partial<Record<BoundName, string>>;

export const optionsText = (bounds: Bounds) =>
  boundNames
    .map((name) => [name, (bounds[name] ?? '').replace(/\s+/g, '')] as const)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}=${value}`)
    .join(';');
