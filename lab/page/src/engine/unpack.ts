// What the page carries packed: as gzip in base 85, the text of an element.
import { decode85 } from '../../packing/base85.mjs';
import type { LockSources } from '../code/lock-sources';

function unpack(id: string): Response {
  const packed = document.getElementById(id)?.textContent ?? '';
  return new Response(new Blob([decode85(packed)]).stream().pipeThrough(new DecompressionStream('gzip')));
}

export const unpackEngine = async () => WebAssembly.compile(await unpack('engine').arrayBuffer());

export const unpackSources = () => unpack('sources').json() as Promise<LockSources>;
