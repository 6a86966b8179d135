// A search that went on when its place was left: it is cancelled, and that is said.
import { useSay } from '../state/texts';

export function DroppedSearch({ run, onClose }: { run: string; onClose(): void }) {
  const say = useSay();
  return (
    <p class="notice notice-above" role="status">
      {say('search.dropped', { run: run.replace(/:$/, '') })}{' '}
      <button type="button" class="link" onClick={onClose}>
        {say('close')}
      </button>
    </p>
  );
}
