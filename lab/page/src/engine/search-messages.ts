// What the page and its search worker say to each other.
import type { Found, SearchProgress, Way } from './types';

export type SearchRequest =
  | { kind: 'engine'; module: WebAssembly.Module }
  | { kind: 'explore'; short: string }
  | { kind: 'advise'; short: string };

export type SearchReply =
  | { kind: 'progress'; progress: SearchProgress }
  | { kind: 'done'; answer: Found | Way }
  | { kind: 'failed'; why: string };
