// The engine without a page.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { startCalls } from '../src/engine/calls.mjs';

export const engineFile = resolve(
  import.meta.dirname,
  '..',
  process.env.LAB_WASM ?? '../../build/wasm/bin/lab.wasm',
);

export const startEngine = () => startCalls(new WebAssembly.Module(readFileSync(engineFile)));
