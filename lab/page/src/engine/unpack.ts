// The engine's module and the locks' code, from the texts in which the page carries them.
import type { LockSources } from '../code/lock-sources';

declare global {
  // Of packing/loader.js: what the element with this id carries.
  function unpack(id: string): Response;
}

export async function unpackEngine(): Promise<WebAssembly.Module> {
  return WebAssembly.compile(await unpack('engine').arrayBuffer());
}

export const unpackSources = () => unpack('sources').json() as Promise<LockSources>;
