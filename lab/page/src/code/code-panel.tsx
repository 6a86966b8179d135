// The code of the lock, with the line at which each client waits in the step that is shown.
import type { GameState, TaskLine } from '../engine/types';
import { Fold } from '../fold';
import { worldAfter } from '../state/run-words';
import { useSay, type Say } from '../state/texts';
import { functionsOf, holds, linesOf, nameOf, type CodeFunction, type LockSources } from './lock-sources';

// What the panel needs of a game.
type Played = Pick<GameState, 'name' | 'run' | 'lines'>;

interface Props {
  game: Played;
  shown: number;
  sources: LockSources;
}

interface Stand extends TaskLine {
  who: string; // `A`, `A/renewal`
  client: number;
}

export function CodePanel({ game, shown, sources }: Props) {
  const say = useSay();
  const clients = game.run[0].clients;
  const functions = functionsOf(sources, game.name, game.lines.flat(2));
  const stands = (game.lines[shown] ?? []).flatMap((lines, client) =>
    lines.map((line): Stand => ({ ...line, client, who: [clients[client], line.task].filter(Boolean).join('/') })),
  );
  if (functions.length === 0) return null;
  const standsIn = (code: CodeFunction) => stands.filter((stand) => holds(code, stand));
  const first = functions.find((code) => standsIn(code).length > 0) ?? functions[0]!;
  return (
    <section class="panel code-panel" aria-label={say('code')}>
      <Fold name="code" summary={<h2>{say('code')}</h2>}>
        <p class="small">{say('code.help')}</p>
        <ul class="stands">
          {clients.map((name, client) => (
            <li key={name} class={`client-${client}`}>
              <span class="badge">{name}</span>
              <span>{whereIs(game, shown, client, functions, stands, say)}</span>
            </li>
          ))}
        </ul>
        {functions.map((code) => (
          <Code key={`${code.file}:${code.line}`} code={code} stands={standsIn(code)} open={code === first || standsIn(code).length > 0} />
        ))}
      </Fold>
    </section>
  );
}

function whereIs(game: Played, shown: number, client: number, functions: CodeFunction[], stands: Stand[], say: Say): string {
  const status = worldAfter(game.run, shown).clients[client]?.status;
  if (status === 'done') return say('code.done');
  if (status === 'crashed') return say('code.crashed');
  const places = stands
    .filter((stand) => stand.client === client)
    .map((stand) => {
      const code = functions.find((one) => holds(one, stand));
      const place = { file: stand.file, line: String(stand.line), name: code ? nameOf(code) : stand.file };
      return stand.task ? say('code.task', { ...place, task: stand.task }) : say('code.line', place);
    });
  const where = places.join(' ') || say('code.elsewhere');
  return status === 'not_started' ? say('code.not-started', { where }) : where;
}

function Code({ code, stands, open }: { code: CodeFunction; stands: Stand[]; open: boolean }) {
  const name = nameOf(code);
  return (
    <details class="code" open={open}>
      <summary>
        <code>{name}</code>{' '}
        <span class="small mono">
          {code.file}:{code.line}
        </span>
        <Marks stands={stands} />
      </summary>
      <pre class="code-text" tabIndex={0} role="region" aria-label={name} lang="en">
        {linesOf(code).map((text, at) => {
          const here = stands.filter((stand) => stand.line === code.line + at);
          return (
            <span key={at} class={here.length > 0 ? `code-line code-here client-${here[0]!.client}` : 'code-line'}>
              <span class="code-number" aria-hidden="true">
                {code.line + at}
              </span>
              <span class={/^\s*\/\//.test(text) ? 'code-comment' : undefined}>{text || ' '}</span>
              <Marks stands={here} />
              {'\n'}
            </span>
          );
        })}
      </pre>
    </details>
  );
}

// Who waits here. They are seen beside a line that is longer than the panel is wide, too.
function Marks({ stands }: { stands: Stand[] }) {
  if (stands.length === 0) return null;
  return (
    <span class="marks">
      {stands.map((stand) => (
        <span key={stand.who} class={`badge client-${stand.client}`}>
          {stand.who}
        </span>
      ))}
    </span>
  );
}
