// The engine's module, from the text in which the page carries it.
declare global {
  // Of packing/loader.js: what the element with this id carries.
  function unpack(id: string): Response;
}

export async function unpackEngine(): Promise<WebAssembly.Module> {
  return WebAssembly.compile(await unpack('engine').arrayBuffer());
}
