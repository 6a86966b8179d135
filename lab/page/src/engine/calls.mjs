// Calls lab.wasm (lab/src/exports.cpp): texts and numbers in, a text out. Also for Node.js: the tests
// that compare the engine with the native simulator use it, too.

// `progress(states, transitions, depth)` returns false to end a search.
export async function startCalls(module, progress = () => true) {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let memory;
  // The simulator reads and writes no files. A broken invariant is a line on standard error before
  // the trap: it becomes the message of the error.
  let failure = '';
  const write = (file, parts, count, written) => {
    const view = new DataView(memory.buffer);
    let size = 0;
    for (let n = 0; n < count; ++n) {
      const length = view.getUint32(parts + 8 * n + 4, true);
      failure += decoder.decode(new Uint8Array(memory.buffer, view.getUint32(parts + 8 * n, true), length));
      size += length;
    }
    view.setUint32(written, size, true);
    return 0;
  };
  const { exports } = await WebAssembly.instantiate(module, {
    lab: { progress: (...figures) => (progress(...figures) ? 1 : 0) },
    wasi_snapshot_preview1: { fd_write: write, fd_close: () => 0, fd_seek: () => 0 },
  });
  memory = exports.memory;
  exports._initialize();

  return (name, ...values) => {
    const given = [];
    const words = values.flatMap((value) => {
      if (typeof value === 'number') return [value];
      const bytes = encoder.encode(value);
      const address = exports.lab_alloc(bytes.length);
      new Uint8Array(memory.buffer, address, bytes.length).set(bytes);
      given.push(address);
      return [address, bytes.length];
    });
    try {
      const size = exports[`lab_${name}`](...words);
      return decoder.decode(new Uint8Array(memory.buffer, exports.lab_answer(), size));
    } catch (trap) {
      throw new Error(failure || String(trap));
    } finally {
      for (const address of given) exports.lab_free(address);
    }
  };
}
