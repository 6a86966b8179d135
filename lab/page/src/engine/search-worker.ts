// Searches in a thread and an engine of its own, so that the page stays usable.
import { Engine, EngineError } from './engine';
import type { SearchReply, SearchRequest } from './search-messages';

const betweenReports = 100;
const adviceStates = 200_000;

let engine: Promise<Engine> | undefined;
let reported = 0;

function send(reply: SearchReply) {
  postMessage(reply);
}

function begin(module: WebAssembly.Module) {
  engine = Engine.start(module, (progress) => {
    const now = performance.now();
    if (now - reported < betweenReports) return;
    reported = now;
    send({ kind: 'progress', progress });
  });
}

function search(own: Engine, request: Exclude<SearchRequest, { kind: 'engine' }>) {
  own.open(request.short);
  return request.kind === 'explore' ? own.explore(0) : own.advice(adviceStates);
}

onmessage = async ({ data }: MessageEvent<SearchRequest>) => {
  if (data.kind === 'engine') {
    begin(data.module);
    return;
  }
  try {
    const own = await engine!;
    send({ kind: 'done', answer: search(own, data) });
  } catch (error) {
    const kind = error instanceof EngineError ? 'refused' : 'failed';
    send({ kind, why: error instanceof Error ? error.message : String(error) });
  }
};
