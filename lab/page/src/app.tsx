import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Bench } from './bench/bench';
import { ProblemNotice } from './bench/problem-notice';
import { ComparisonView } from './compare/comparison-view';
import type { LockSources } from './code/lock-sources';
import { DroppedSearch } from './bench/dropped-search';
import type { Engine } from './engine/engine';
import type { Searchers } from './engine/searcher';
import { Header } from './header';
import { LessonMap } from './map/lesson-map';
import { RecordedRun } from './recorded/recorded-run';
import { RunFilePanel, WrongFileNotice } from './recorded/run-file';
import { useRunFile } from './recorded/use-run-file';
import { useKeptFocus } from './state/use-kept-focus';
import { useProgress } from './state/progress';
import { useSay } from './state/texts';
import { useLab } from './state/use-lab';

interface Props extends Searchers {
  engine: Engine;
  sources: LockSources;
}

export function App({ engine, sources, searcher, adviser, explainer }: Props) {
  const say = useSay();
  const scenarios = useMemo(() => engine.scenarios(), [engine]);
  const lab = useLab(engine, scenarios);
  useKeptFocus();
  const { progress, add } = useProgress();
  const recorded = useRunFile(engine, lab.openFile);
  const { comparison } = lab;
  const file = lab.file ? recorded.file : null;
  const short = file?.replayed?.short;
  const name = lab.game?.name ?? comparison?.one.name ?? file?.run?.[0].scenario ?? file?.verdict?.scenario;
  const place = [lab.game?.name, comparison?.one.short, comparison?.other.short, lab.file].join(' ');
  const last = useRef(place);
  const [dropped, setDropped] = useState('');

  useEffect(() => {
    document.title = name ? `${name} · ${say('title')}` : say('title');
  }, [name, say]);
  useEffect(() => {
    // A search is of the place where it began.
    setDropped(searcher.cancel());
    if (last.current !== place) {
      // What had the focus is gone.
      document.getElementById('content')?.focus();
      scrollTo(0, 0);
    }
    last.current = place;
  }, [place, searcher]);
  const { forgetWrong } = recorded;
  useEffect(forgetWrong, [place, forgetWrong]);

  return (
    <>
      <Header name={name} onMap={lab.leave} />
      <main id="content" tabIndex={-1}>
        {lab.problem && <ProblemNotice problem={lab.problem} scenarios={scenarios} onOpen={lab.open} />}
        {dropped && <DroppedSearch run={dropped} onClose={() => setDropped('')} />}
        {recorded.wrong && <WrongFileNotice wrong={recorded.wrong} onClose={forgetWrong} />}
        {lab.file && !file && <p class="notice">{say('recorded.again')}</p>}
        {lab.game ? (
          <Bench
            lab={lab}
            game={lab.game}
            engine={engine}
            searcher={searcher}
            adviser={adviser}
            explainer={explainer}
            sources={sources}
            scenarios={scenarios}
            progress={progress}
            solve={add}
          />
        ) : comparison ? (
          <ComparisonView
            key={`${comparison.one.short} ${comparison.other.short}`}
            comparison={comparison}
            engine={engine}
            scenarios={scenarios}
            lab={lab}
          />
        ) : file ? (
          <RecordedRun
            key={recorded.count}
            file={file}
            sources={sources}
            scenario={scenarios.find((one) => one.name === file.replayed?.name)}
            onPlay={short === undefined ? undefined : () => lab.open(short)}
          />
        ) : (
          <>
            <LessonMap scenarios={scenarios} progress={progress} onOpen={(lesson) => lab.open(`${lesson}:`)} />
            <RunFilePanel onFile={recorded.take} />
          </>
        )}
      </main>
    </>
  );
}
