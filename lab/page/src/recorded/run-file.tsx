// Where a file with a run is chosen.
import { useSay, useTranslate } from '../state/texts';
import type { WrongFile } from './use-run-file';

export function RunFilePanel({ onFile }: { onFile(file: File | undefined): Promise<void> }) {
  const say = useSay();
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
            void onFile(field.files?.[0]).then(() => (field.value = ''));
          }}
        />
      </label>
    </section>
  );
}

export function WrongFileNotice({ wrong, onClose }: { wrong: WrongFile; onClose(): void }) {
  const say = useSay();
  const translate = useTranslate();
  const values = { ...wrong.values, why: translate(wrong.values?.why ?? ''), line: wrong.line };
  return (
    <p class="notice notice-error notice-file" role="alert">
      {wrong.name}: {say(`recorded.${wrong.what}`, values)}{' '}
      <button type="button" class="link" onClick={onClose}>
        {say('close')}
      </button>
    </p>
  );
}
