// Puts the page's script with its style, the engine and the locks' code into one HTML file, packed.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { transformWithEsbuild } from 'vite';
import { denseText } from './dense-text.mjs';
import { lockSources } from './lock-sources.mjs';

// The limit and its reason: docs/adr/0015.
const mostBytes = 800_000;

function engineAt(path) {
  if (!existsSync(path)) {
    throw new Error(`there is no engine at ${path}: build lab.wasm, or set LAB_WASM to its path`);
  }
  return readFileSync(path);
}

// zopfli writes the same format as gzip, in 5 % fewer bytes.
function gzipOf(content) {
  const folder = mkdtempSync(join(tmpdir(), 'interlock-page-'));
  try {
    const file = join(folder, 'content');
    writeFileSync(file, content);
    return execFileSync('zopfli', ['-c', '--i15', file], { maxBuffer: 1 << 24 });
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return gzipSync(content, { level: 9 });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function packed(id, content) {
  const bytes = gzipOf(content);
  const text = denseText(bytes);
  return `<script type="text/plain" id="${id}" data-bytes="${bytes.length}">${text}</script>\n`;
}

const adding = (style) =>
  `document.head.append(Object.assign(document.createElement('style'),{textContent:${JSON.stringify(style)}}));\n`;

async function loader() {
  const path = new URL('loader.js', import.meta.url);
  const { code } = await transformWithEsbuild(readFileSync(path, 'utf8'), 'loader.js', { minify: true });
  return `<script>${code}</script>\n`;
}

// `root`: the project's folder, whose sources the page shows.
export function singleFile({ engine, root, name }) {
  return {
    name: 'single-file',
    enforce: 'post',
    async generateBundle(_options, bundle) {
      const files = Object.values(bundle);
      const html = files.find((file) => file.fileName.endsWith('.html'));
      const script = files.filter((file) => file.type === 'chunk').map((file) => file.code).join('\n');
      const style = files
        .filter((file) => file.fileName.endsWith('.css'))
        .map((file) => file.source)
        .join('\n');
      // The loader last, when all is there that it and the page unpack.
      const scripts = [
        packed('page-script', adding(style) + script),
        packed('engine', engineAt(engine)),
        packed('sources', JSON.stringify(await lockSources(root, engine))),
        await loader(),
      ].join('');
      const page = String(html.source)
        .replace(/\s*<script[^>]*src=[^>]*><\/script>/, '')
        .replace(/\s*<link[^>]*rel="stylesheet"[^>]*>/, '')
        .replace('</body>', () => `${scripts}</body>`);
      if (Buffer.byteLength(page) > mostBytes) {
        throw new Error(
          `the page has ${Buffer.byteLength(page)} bytes, and may have ${mostBytes}: ` +
            'build lab.wasm where there is a wasm-opt (Debian: binaryen), and the page where there is ' +
            'a zopfli',
        );
      }
      for (const file of files) delete bundle[file.fileName];
      this.emitFile({ type: 'asset', fileName: name, source: page });
    },
  };
}
