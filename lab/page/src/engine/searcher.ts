// Runs one search at a time in a worker: a new one cancels the one before. A search that is cancelled ends
// its worker.
import type { SearchReply, SearchRequest } from './search-messages';
import SearchWorker from './search-worker?worker&inline';
import type { Found, SearchProgress, Way } from './types';

type Report = (progress: SearchProgress) => void;

export class Cancelled extends Error {}
// The worker has broken off before the search had an end: nothing is decided.
export class BrokenOff extends Error {}

// One for each part of the page, so that none cancels a search of another.
export interface Searchers {
  searcher: Searcher; // for what the player begins and may cancel: bounds, repairs, comparisons
  adviser: Searcher; // for hints
  explainer: Searcher; // for the explanation
}

export class Searcher {
  private worker: Worker | null = null;
  private abandon: (() => void) | null = null;
  private about = '';

  constructor(private readonly module: WebAssembly.Module) {}

  explore(short: string, report: Report = () => {}): Promise<Found> {
    return this.run({ kind: 'explore', short }, report) as Promise<Found>;
  }

  advise(short: string): Promise<Way> {
    return this.run({ kind: 'advise', short }, () => {}) as Promise<Way>;
  }

  // The run whose search was ended; empty: none went on.
  cancel(): string {
    if (!this.abandon) return '';
    this.end();
    this.abandon();
    return this.about;
  }

  private run(request: Exclude<SearchRequest, { kind: 'engine' }>, report: Report): Promise<Found | Way> {
    this.cancel();
    this.about = request.short;
    const worker = this.worker ?? this.start();
    return new Promise((resolve, reject) => {
      this.abandon = () => {
        this.abandon = null;
        reject(new Cancelled());
      };
      const breakOff = (why: string) => {
        this.abandon = null;
        this.end();
        reject(new BrokenOff(why));
      };
      worker.onerror = (event) => {
        event.preventDefault();
        breakOff(event.message);
      };
      worker.onmessage = ({ data }: MessageEvent<SearchReply>) => {
        if (data.kind === 'progress') {
          report(data.progress);
          return;
        }
        if (data.kind === 'failed') {
          breakOff(data.why);
          return;
        }
        this.abandon = null;
        if (data.kind === 'done') resolve(data.answer);
        else reject(new Error(data.why));
      };
      worker.postMessage(request);
    });
  }

  // Ends the worker: nothing that it still says is heard. The next request begins another one.
  end() {
    if (!this.worker) return;
    this.worker.onmessage = null;
    this.worker.onerror = null;
    this.worker.terminate();
    this.worker = null;
  }

  private start(): Worker {
    const worker = new SearchWorker();
    worker.postMessage({ kind: 'engine', module: this.module } satisfies SearchRequest);
    this.worker = worker;
    return worker;
  }
}
