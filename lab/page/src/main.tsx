import { render } from 'preact';
import { App } from './app';
import { Engine } from './engine/engine';
import { Searcher } from './engine/searcher';
import { unpackEngine, unpackSources } from './engine/unpack';
import { firstLesson } from './map/lessons';
import { SpeechProvider, useSay } from './state/texts';
import './styles/tokens.css';
import './styles/base.css';
import './styles/map.css';
import './styles/bench.css';
import './styles/diagram.css';
import './styles/compare.css';
import './styles/code.css';

const afterFirstPaint = 200;

function Notice({ failure }: { failure?: string }) {
  const say = useSay();
  return (
    <p class="notice" role={failure ? 'alert' : 'status'}>
      {failure ? say('loading.failed', { why: failure }) : say('loading')}
    </p>
  );
}

// The browser compiles the engine's functions when they are first called, for all threads at once. A game
// in a thread of its own, which ends then, spares the player's first moves that.
function warmUp(module: WebAssembly.Module) {
  const own = new Searcher(module);
  setTimeout(() => {
    own
      .advise(`${firstLesson}:`)
      .catch(() => {})
      .finally(() => own.end());
  }, afterFirstPaint);
}

const page = document.getElementById('page')!;
const draw = (content: preact.ComponentChild) =>
  render(<SpeechProvider>{content}</SpeechProvider>, page);

draw(<Notice />);
try {
  const [module, sources] = await Promise.all([unpackEngine(), unpackSources()]);
  const engine = await Engine.start(module);
  const searchers = { searcher: new Searcher(module), adviser: new Searcher(module), explainer: new Searcher(module) };
  draw(<App engine={engine} sources={sources} {...searchers} />);
  warmUp(module);
} catch (error) {
  draw(<Notice failure={error instanceof Error ? error.message : String(error)} />);
}
