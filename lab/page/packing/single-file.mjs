// Puts the page's script, its style, the packed engine and the locks' code into one HTML file.
import { existsSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { encode85 } from './base85.mjs';
import { lockSources } from './lock-sources.mjs';

// The limit and its reason: docs/adr/0015.
const mostBytes = 800_000;

const packed = (bytes) => encode85(gzipSync(bytes, { level: 9 }));

const packedScript = (id, bytes) =>
  `<script type="application/octet-stream" id="${id}">${packed(bytes)}</script>\n`;

const inScript = (code) => code.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');

// `root`: the project's folder, whose sources the page shows.
export function singleFile({ engine, root, name }) {
  return {
    name: 'single-file',
    enforce: 'post',
    async generateBundle(_options, bundle) {
      if (!existsSync(engine)) {
        throw new Error(`there is no engine at ${engine}: build lab.wasm, or set LAB_WASM to its path`);
      }
      const sources = JSON.stringify(await lockSources(root, engine));
      const files = Object.values(bundle);
      const html = files.find((file) => file.fileName.endsWith('.html'));
      const script = files.filter((file) => file.type === 'chunk').map((file) => file.code).join('\n');
      const style = files
        .filter((file) => file.fileName.endsWith('.css'))
        .map((file) => file.source)
        .join('\n');
      const page = String(html.source)
        .replace(/\s*<script[^>]*src=[^>]*><\/script>/, '')
        .replace(/\s*<link[^>]*rel="stylesheet"[^>]*>/, '')
        .replace('</head>', () => `<style>${style}</style>\n</head>`)
        .replace(
          '</body>',
          () =>
            packedScript('engine', readFileSync(engine)) +
            packedScript('sources', sources) +
            `<script type="module">${inScript(script)}</script>\n</body>`,
        );
      if (Buffer.byteLength(page) > mostBytes) {
        throw new Error(`the page has ${Buffer.byteLength(page)} bytes, and may have ${mostBytes}`);
      }
      for (const file of files) delete bundle[file.fileName];
      this.emitFile({ type: 'asset', fileName: name, source: page });
    },
  };
}
