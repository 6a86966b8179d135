// How far a search has come, a button that ends it, and why one has no verdict.
import { useSay, useTranslate } from '../state/texts';
import type { SearchPhase } from './use-search';

interface Props {
  phase: SearchPhase;
  // What the panel shows now. A search of something else says what it is about.
  about?: string;
  onCancel(): void;
}

export function SearchStatus({ phase, about = phase.of, onCancel }: Props) {
  const say = useSay();
  const translate = useTranslate();
  if (phase.is === 'running') {
    return (
      <div class="searching">
        <progress aria-label={say('search.begins')} />
        {phase.of !== about && <span class="mono">{phase.of}</span>}
        <span>{phase.progress ? say('search.progress', { ...phase.progress }) : say('search.begins')}</span>
        <button type="button" onClick={onCancel}>
          {say('search.cancel')}
        </button>
      </div>
    );
  }
  if (phase.is === 'cancelled') {
    const of = { run: phase.of.replace(/:$/, '') };
    return <p role="status">{phase.of === about ? say('search.cancelled') : say('search.cancelled.of', of)}</p>;
  }
  if (phase.of !== about) return null;
  if (phase.is === 'refused') {
    return (
      <p class="notice notice-error" role="alert">
        {translate(phase.why)}
      </p>
    );
  }
  if (phase.is !== 'broken-off') return null;
  return (
    <div class="verdict verdict-incomplete" role="status">
      <p class="verdict-title">
        <span aria-hidden="true">…</span> {say('incomplete')}
      </p>
      <p>{say('search.broken-off')}</p>
      <p class="small">{translate(phase.why)}</p>
    </div>
  );
}
