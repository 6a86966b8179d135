// Searches in a thread and an engine of its own, so that the page stays usable.
import { Engine, EngineError } from './engine';
import type { SearchReply, SearchRequest } from './search-messages';
import type { Way } from './types';

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

// The engine goes on as it has advised: a search in the middle of a loop would begin another one.
function wayFrom(own: Engine, short: string): Way {
  const advice = own.advice(adviceStates);
  if (advice.outcome === 'proved') {
    own.restart();
    return { advice, never: own.advice(adviceStates).outcome === 'proved', steps: [] };
  }
  const steps = [];
  for (let { next } = advice, at = short; next; ) {
    steps.push({ short: at, move: next });
    const { short: then, standing } = own.play(next.key);
    at = then;
    next = standing === 'open' ? own.advice(adviceStates).next : null;
  }
  return { advice, never: false, steps };
}

function search(own: Engine, request: Exclude<SearchRequest, { kind: 'engine' }>) {
  const { short } = own.open(request.short);
  return request.kind === 'explore' ? own.explore(0) : wayFrom(own, short);
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
