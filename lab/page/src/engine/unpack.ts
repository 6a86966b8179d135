// What the page carries packed, each in an element of its own.
import type { LockSources } from '../code/lock-sources';

declare global {
  // From packing/loader.js: what the element with this id carries.
  function unpack(id: string): Response;
}

export const unpackEngine = async () => WebAssembly.compile(await unpack('engine').arrayBuffer());

export const unpackSources = () => unpack('sources').json() as Promise<LockSources>;
