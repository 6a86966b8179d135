// How far a search has come, and a button that ends it.
import { useSay, useTranslate } from '../state/texts';
import type { SearchPhase } from './use-search';

export function SearchStatus({ phase, onCancel }: { phase: SearchPhase; onCancel(): void }) {
  const say = useSay();
  const translate = useTranslate();
  if (phase.is === 'cancelled') return <p role="status">{say('search.cancelled')}</p>;
  if (phase.is === 'failed') {
    return (
      <p class="notice notice-error" role="alert">
        {translate(phase.why)}
      </p>
    );
  }
  if (phase.is !== 'running') return null;
  return (
    <div class="searching">
      <progress aria-label={say('search.begins')} />
      <span>{phase.progress ? say('search.progress', { ...phase.progress }) : say('search.begins')}</span>
      <button type="button" onClick={onCancel}>
        {say('search.cancel')}
      </button>
    </div>
  );
}
