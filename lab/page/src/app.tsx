import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Bench } from './bench/bench';
import type { LockSources } from './code/lock-sources';
import type { Engine } from './engine/engine';
import type { Searcher } from './engine/searcher';
import type { RunLines } from './engine/types';
import { Header } from './header';
import { LessonMap } from './map/lesson-map';
import { RecordedRun } from './recorded/recorded-run';
import { RunFile } from './recorded/run-file';
import { useKeptFocus } from './state/use-kept-focus';
import { useProgress } from './state/progress';
import { useSay, useTranslate } from './state/texts';
import { useLab } from './state/use-lab';

interface Props {
  engine: Engine;
  sources: LockSources;
  // Searches that the player begins and may cancel.
  searcher: Searcher;
  // Searches for hints and explanations.
  adviser: Searcher;
}

export function App({ engine, sources, searcher, adviser }: Props) {
  const say = useSay();
  const translate = useTranslate();
  const scenarios = useMemo(() => engine.scenarios(), [engine]);
  const lab = useLab(engine);
  useKeptFocus();
  const { progress, add } = useProgress();
  // A run from a file, which has no address: the next thing that is opened takes its place.
  const [recorded, setRecorded] = useState<RunLines | null>(null);
  const name = lab.game?.name ?? recorded?.[0].scenario;
  const place = useRef(name);

  useEffect(() => {
    document.title = name ? `${name} · ${say('title')}` : say('title');
  }, [name, say]);
  useEffect(() => {
    if (lab.game) setRecorded(null);
  }, [lab.game]);
  useEffect(() => {
    searcher.cancel();
    if (place.current !== name) {
      // What had the focus is gone.
      document.getElementById('content')?.focus();
      scrollTo(0, 0);
    }
    place.current = name;
  }, [name, searcher]);

  return (
    <>
      <Header
        name={name}
        onMap={() => {
          setRecorded(null);
          lab.leave();
        }}
      />
      <main id="content" tabIndex={-1}>
        {lab.error && (
          <p class="notice notice-error" role="alert">
            {translate(lab.error)}
          </p>
        )}
        {lab.game ? (
          <Bench
            lab={lab}
            game={lab.game}
            searcher={searcher}
            adviser={adviser}
            sources={sources}
            scenarios={scenarios}
            progress={progress}
            solve={add}
          />
        ) : recorded ? (
          <RecordedRun run={recorded} />
        ) : (
          <>
            <LessonMap scenarios={scenarios} progress={progress} onOpen={(lesson) => lab.open(`${lesson}:`)} />
            <RunFile onRun={setRecorded} />
          </>
        )}
      </main>
    </>
  );
}
