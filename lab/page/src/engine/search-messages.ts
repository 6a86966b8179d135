// What the page and its search worker say to each other.
import type { Found, SearchProgress, Way } from './types';

export type SearchRequest =
  | { kind: 'engine'; module: WebAssembly.Module }
  | { kind: 'explore'; short: string }
  | { kind: 'advise'; short: string };

export type SearchReply =
  | { kind: 'progress'; progress: SearchProgress }
  | { kind: 'done'; answer: Found | Way }
  // The engine says no: the bounds are wrong.
  | { kind: 'refused'; why: string }
  // The engine has broken off, for want of memory, and must not be asked again.
  | { kind: 'failed'; why: string };
