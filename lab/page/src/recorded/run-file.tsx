// Takes a file with a run: chosen, or dropped anywhere on the page.
import { useEffect, useState } from 'preact/hooks';
import type { RunLines } from '../engine/types';
import { useSay } from '../state/texts';
import { NoRun, readRun } from './read-run';

export function RunFile({ onRun }: { onRun(run: RunLines): void }) {
  const say = useSay();
  const [wrong, setWrong] = useState<{ file: string; problem: NoRun } | null>(null);

  const take = async (file: File | undefined) => {
    if (!file) return;
    try {
      onRun(readRun(await file.text()));
    } catch (problem) {
      if (!(problem instanceof NoRun)) throw problem;
      setWrong({ file: file.name, problem });
    }
  };
  useEffect(() => {
    const drop = (event: DragEvent) => {
      event.preventDefault();
      void take(event.dataTransfer?.files[0]);
    };
    const allow = (event: DragEvent) => event.preventDefault();
    addEventListener('dragover', allow);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', allow);
      removeEventListener('drop', drop);
    };
  });

  return (
    <section class="run-file">
      <h2>{say('recorded')}</h2>
      <p class="small">{say('recorded.help')}</p>
      <pre class="small mono">interlock explore -o run.jsonl -f json -- COMMAND</pre>
      <label class="field">
        <span>{say('recorded.file')}</span>
        <input
          type="file"
          onChange={(event) => {
            const field = event.currentTarget;
            void take(field.files?.[0]).then(() => (field.value = ''));
          }}
        />
      </label>
      {wrong && (
        <p class="notice notice-error" role="alert">
          {wrong.file}: {say(`recorded.${wrong.problem.what}`, { line: wrong.problem.line })}
        </p>
      )}
    </section>
  );
}
