// The engine's module, from the text in which the page carries it: gzip in base64.
export async function unpackEngine(): Promise<WebAssembly.Module> {
  const packed = document.getElementById('engine')?.textContent ?? '';
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return WebAssembly.compile(await new Response(unpacked).arrayBuffer());
}
