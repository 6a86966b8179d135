// A search has ended after the player went on: it is not shown in the place of what is open, but
// offered.
import type { Found } from '../engine/types';
import { useSay } from '../state/texts';
import { titleOf } from './verdict-card';

interface Props {
  of: string;
  found: Found;
  onShow(): void;
}

export function LateVerdict({ of, found, onShow }: Props) {
  const say = useSay();
  return (
    <p class="notice late-verdict" role="status">
      {say('search.late', { run: of.replace(/:$/, ''), outcome: say(titleOf(found)) })}{' '}
      <button type="button" class="link" onClick={onShow}>
        {say('search.late.show')}
      </button>
    </p>
  );
}
