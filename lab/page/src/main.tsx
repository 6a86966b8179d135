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

// The browser compiles the engine's functions when they are first called, for all threads at once: a game
// in the thread that gives hints spares the player's first moves that.
function warmUp(adviser: Searcher) {
  setTimeout(() => void adviser.advise(`${firstLesson}:`).catch(() => {}), afterFirstPaint);
}

const page = document.getElementById('page')!;
const draw = (content: preact.ComponentChild) =>
  render(<SpeechProvider>{content}</SpeechProvider>, page);

draw(<Notice />);
try {
  const [module, sources] = await Promise.all([unpackEngine(), unpackSources()]);
  const engine = await Engine.start(module);
  const adviser = new Searcher(module);
  draw(<App engine={engine} sources={sources} searcher={new Searcher(module)} adviser={adviser} />);
  warmUp(adviser);
} catch (error) {
  draw(<Notice failure={error instanceof Error ? error.message : String(error)} />);
}
