export type Call = (name: string, ...values: (string | number)[]) => string;

export function startCalls(
  module: WebAssembly.Module,
  progress?: (states: number, transitions: number, depth: number) => boolean,
): Promise<Call>;
