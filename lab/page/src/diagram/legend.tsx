// What the signs of the diagram mean.
import type { ComponentChildren } from 'preact';
import { Fold } from '../fold';
import { useSay, type TextName } from '../state/texts';

const signs: [TextName, ComponentChildren][] = [
  ['legend.request', <path class="arrow" marker-end="url(#head-0)" d="M2 10H36" />],
  ['legend.answer', <path class="arrow answer" marker-end="url(#head-0)" d="M38 10H6" />],
  ['legend.lost', <><path class="arrow stopped" d="M2 10H20" /><path class="cross" d="M15 5l10 10M15 15l10 -10" /></>],
  ['legend.pending', <><path class="arrow stopped" d="M2 10H20" /><circle class="dot" cx="24" cy="10" r="4" /></>],
  ['legend.holding', <><path class="lane" d="M20 0V6" /><path class="lane lane-holding" d="M20 5V20" /></>],
  ['legend.gone', <path class="lane lane-gone" d="M20 0V20" />],
  ['legend.change', <><path class="server-lane" d="M20 0V20" /><circle class="store-dot store-dot-full" cx="20" cy="10" r="4.5" /></>],
  ['legend.lease', <><path class="lease client-0" d="M16 0h8L18 17H16z" /><path class="lease-end" d="M12 18h14" /></>],
  ['legend.loop', <path class="loop" d="M20 3H10V17H20M16 1l4 2l-4 3" />],
];

const hasRoom = () => matchMedia('(min-width: 60rem)').matches;

export function Legend() {
  const say = useSay();
  return (
    <Fold name="legend" class="legend" open={hasRoom()} summary={say('legend')}>
      <ul>
        {signs.map(([name, drawing]) => (
          <li key={name}>
            <svg class="client-0 lane-0" viewBox="0 0 40 20" width="40" height="20" aria-hidden="true">
              {drawing}
            </svg>
            <span>{say(name)}</span>
          </li>
        ))}
      </ul>
    </Fold>
  );
}
