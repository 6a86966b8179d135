// What the page carries packed: as gzip in base64, the text of an element.
import type { LockSources } from '../code/lock-sources';

function unpack(id: string): Response {
  const packed = document.getElementById(id)?.textContent ?? '';
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip')));
}

export const unpackEngine = async () => WebAssembly.compile(await unpack('engine').arrayBuffer());

export const unpackSources = () => unpack('sources').json() as Promise<LockSources>;
