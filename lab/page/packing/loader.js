// The one script that the page carries as it is: unpacks the others. dense-text.mjs has packed them.
globalThis.unpack = (id) => {
  const { textContent: text, dataset } = document.getElementById(id);
  const bytes = new Uint8Array(+dataset.bytes);
  const number = (at) => {
    const code = text.charCodeAt(at);
    return code - (code > 60 ? 36 : 35);
  };
  let size = 0;
  let held = 0;
  let waiting = 0;
  for (let at = 0; at < text.length; at += 2) {
    waiting |= (number(at) + 91 * number(at + 1)) << held;
    for (held += 13; held > 7; held -= 8) {
      bytes[size++] = waiting;
      waiting >>= 8;
    }
  }
  const packed = new Blob([bytes]).stream();
  return new Response(packed.pipeThrough(new DecompressionStream('gzip')));
};
unpack('page-script').text().then((code) => {
  const script = document.createElement('script');
  script.type = 'module';
  script.textContent = code;
  document.body.append(script);
});
