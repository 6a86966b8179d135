// The translations of a file of texts/, by the fingerprint of the English: packing/by-english.mjs.
declare module '*?by-english' {
  const sentences: Record<string, string>;
  export default sentences;
}
