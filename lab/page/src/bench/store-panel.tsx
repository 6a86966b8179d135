// What the store holds after the step that is shown, and what that step changed.
import type { RunLines, Scenario } from '../engine/types';
import { expires, serversOf, shortened, stepsOf, storeRows, worldAfter, type StoreRow } from '../state/run-words';
import { useSay, type Say } from '../state/texts';
import { Whole } from '../whole';
import { StepWords } from './step-words';
import { stampIn, ValueNotes, type Stamp } from './value-notes';

const signs = { new: '+', changed: '±', renewed: '↻', gone: '−', same: '' };

interface Props {
  run: RunLines;
  shown: number;
  scenario?: Scenario | undefined;
}

export function StorePanel({ run, shown, scenario }: Props) {
  const say = useSay();
  const world = worldAfter(run, shown);
  const rows = storeRows(worldAfter(run, Math.max(shown - 1, 0)), world);
  const many = serversOf(run) > 1;
  const step = stepsOf(run)[shown - 1];
  const expired = step !== undefined && expires(step);
  return (
    <div class="store">
      <StepWords run={run} shown={shown} />
      <h2>{say('store.title')}</h2>
      {rows.length === 0 ? (
        <p class="small">{say('store.empty')}</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">{say('store.key')}</th>
              <th scope="col">{say('store.value')}</th>
              <th scope="col">{say('store.ends')}</th>
              <th scope="col">{say('store.change')}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <StoreLine key={`${row.server} ${row.key}`} row={row} many={many} expired={expired} stamp={stampIn(row, run, world, scenario)} />
            ))}
          </tbody>
        </table>
      )}
      {world.resources.map((resource) => (
        <p key={resource.name} class="small mono">
          {resource.name}: #{resource.greatest_token} {resource.last_writer}
        </p>
      ))}
      <ValueNotes run={run} world={world} scenario={scenario} />
      {world.time_ms > 0 && <p class="small">{say('store.clock', { ms: world.time_ms })}</p>}
    </div>
  );
}

interface LineProps {
  row: StoreRow;
  many: boolean;
  expired: boolean;
  stamp: Stamp | null;
}

function endOf({ remaining_ms: left }: StoreRow, stamp: Stamp | null, say: Say): string {
  if (left !== undefined) return say('store.in', { time: `${left} ms` });
  if (!stamp) return say('store.never');
  return say(stamp.isPast ? 'store.past' : 'store.at', { at: stamp.at });
}

function StoreLine({ row, many, expired, stamp }: LineProps) {
  const say = useSay();
  return (
    <tr class={`store-${row.change}`}>
      <th scope="row" class="mono">
        {many && <span class="server-tag">S{row.server + 1}</span>}
        {row.key}
      </th>
      <td class="mono">
        {row.before !== undefined && <del>{shortened(row.before)}</del>} {shortened(row.value)}
      </td>
      <td>
        <Whole text={endOf(row, stamp, say)} />
      </td>
      <td>
        {signs[row.change]} {say(row.change === 'gone' && expired ? 'store.expired' : `store.${row.change}`)}
      </td>
    </tr>
  );
}
