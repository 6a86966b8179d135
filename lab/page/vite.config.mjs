import { resolve } from 'node:path';
import { defineConfig } from 'vite';
import { byEnglish } from './packing/by-english.mjs';
import { singleFile } from './packing/single-file.mjs';

const here = import.meta.dirname;

export default defineConfig({
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
  worker: { format: 'iife' },
  build: { target: 'es2022', modulePreload: false, cssCodeSplit: false, reportCompressedSize: false },
  plugins: [
    byEnglish(),
    singleFile({
      engine: resolve(here, process.env.LAB_WASM ?? '../../build/wasm/bin/lab.wasm'),
      root: resolve(here, '../..'),
      name: 'lab.html',
    }),
  ],
});
