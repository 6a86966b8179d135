export function encode85(bytes: Uint8Array): string;
export function decode85(text: string): Uint8Array<ArrayBuffer>;
