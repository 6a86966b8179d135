// The lanes: thick where a client believes that it holds the lock, dotted when it is gone.
import type { RunLines, World } from '../engine/types';
import { worldAfter } from '../state/run-words';
import type { Layout } from './layout';

// Parts of a lane overlap, so that no gap shows between them.
const seam = 0.5;

type Life = 'idle' | 'alive' | 'holding' | 'gone';

function lifeOf(world: World, client: number): Life {
  const view = world.clients[client];
  if (!view || view.status === 'crashed' || view.status === 'done') return 'gone';
  if (view.inside.length > 0) return 'holding';
  return view.status === 'not_started' ? 'idle' : 'alive';
}

interface Props {
  run: RunLines;
  layout: Layout;
}

export function ClientLanes({ run, layout }: Props) {
  return (
    <>
      {layout.clients.map((x, client) =>
        layout.rows.map((row, index) => {
          const before = lifeOf(worldAfter(run, Math.max(index - 1, 0)), client);
          const after = lifeOf(worldAfter(run, index), client);
          const change = row.top + row.height * (index === 0 ? 0 : 0.65);
          const end = row.top + row.height + seam;
          return (
            <g key={`${client} ${index}`} class={`lane-${client}`}>
              <path class={`lane lane-${before}`} d={`M${x} ${row.top}V${change + seam}`} />
              <path class={`lane lane-${after}`} d={`M${x} ${change}V${end}`} />
            </g>
          );
        }),
      )}
    </>
  );
}

export function ServerLanes({ layout }: { layout: Layout }) {
  const last = layout.rows[layout.rows.length - 1]!;
  return (
    <>
      {layout.servers.map((x) => (
        <path key={x} class="server-lane" d={`M${x} ${layout.head}V${last.top + last.height}`} />
      ))}
    </>
  );
}
