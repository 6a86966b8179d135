// Puts the page's script, its style and the packed engine into one HTML file.
import { existsSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

// The limit and its reason: docs/adr/0015.
const mostBytes = 800_000;

export function packedEngine(path) {
  if (!existsSync(path)) {
    throw new Error(`there is no engine at ${path}: build lab.wasm, or set LAB_WASM to its path`);
  }
  return gzipSync(readFileSync(path), { level: 9 }).toString('base64');
}

const inScript = (code) => code.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');

export function singleFile({ engine, name }) {
  return {
    name: 'single-file',
    enforce: 'post',
    generateBundle(_options, bundle) {
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
            `<script type="application/octet-stream" id="engine">${packedEngine(engine)}</script>\n` +
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
