// Runs one search at a time in a worker. A search that is cancelled ends its worker.
import type { SearchReply, SearchRequest } from './search-messages';
import SearchWorker from './search-worker?worker&inline';
import type { Found, SearchProgress, Way } from './types';

type Report = (progress: SearchProgress) => void;

export class Cancelled extends Error {}

export class Searcher {
  private worker: Worker | null = null;
  private abandon: (() => void) | null = null;

  constructor(private readonly module: WebAssembly.Module) {}

  explore(short: string, report: Report = () => {}): Promise<Found> {
    return this.run({ kind: 'explore', short }, report) as Promise<Found>;
  }

  advise(short: string): Promise<Way> {
    return this.run({ kind: 'advise', short }, () => {}) as Promise<Way>;
  }

  cancel() {
    if (!this.abandon) return;
    this.worker?.terminate();
    this.worker = null;
    this.abandon();
  }

  private run(request: SearchRequest, report: Report): Promise<Found | Way> {
    this.cancel();
    const worker = this.worker ?? this.start();
    return new Promise((resolve, reject) => {
      this.abandon = () => {
        this.abandon = null;
        reject(new Cancelled());
      };
      worker.onmessage = ({ data }: MessageEvent<SearchReply>) => {
        if (data.kind === 'progress') {
          report(data.progress);
          return;
        }
        this.abandon = null;
        if (data.kind === 'done') {
          resolve(data.answer);
          return;
        }
        // An engine that has broken off must not be asked again.
        worker.terminate();
        this.worker = null;
        reject(new Error(data.why));
      };
      worker.postMessage(request);
    });
  }

  private start(): Worker {
    const worker = new SearchWorker();
    worker.postMessage({ kind: 'engine', module: this.module } satisfies SearchRequest);
    this.worker = worker;
    return worker;
  }
}
