// Who can move next, and who cannot and why. Faults stand apart.
import type { ComponentChildren } from 'preact';
import type { GameState, Move } from '../engine/types';
import { shortened } from '../state/run-words';
import { useSay, useTranslate } from '../state/texts';
import { Whole } from '../whole';
import { whyStill } from './why-still';

interface Props {
  game: GameState;
  typed: string;
  onPlay(key: string): void;
}

const clientOf = (move: Move) => move.mover.split('/')[0]!;

// If there are many moves, those that most runs need stand first. A mark in the key says that a move is
// unusual: the client reads its clock first (@), or it hears the answer later (-, +, ~).
const mostMoves = 4;
const mostFaults = 8;
// On a phone moves stand in two columns; a longer one takes the whole line.
const mostInHalfALine = 26;
const isUsual = ({ key }: Move) => !/[-+~@]/.test(key);

function divided(moves: Move[]): { first: Move[]; more: Move[] } {
  if (moves.length <= mostMoves) return { first: moves, more: [] };
  return { first: moves.filter(isUsual), more: moves.filter((move) => !isUsual(move)) };
}

// A script's keys and arguments are in the words of its step.
const briefly = (text: string) =>
  shortened(text).replace(/^(RUN \S+ \S+) (?!on server)[^,(，（]*?[^,(，（ ](?= on server \d| ?[,(，（]|$)/, '$1 …');

export function MovesPanel({ game, typed, onPlay }: Props) {
  const say = useSay();
  const translate = useTranslate();
  const clients = game.run[0].clients;
  const usual = game.moves.filter((move) => !move.fault);
  const faults = game.moves.filter((move) => move.fault);
  const others = usual.filter((move) => !clients.includes(clientOf(move)));
  const button = (move: Move) => (
    <MoveButton
      key={move.key}
      move={move}
      client={clients.indexOf(clientOf(move))}
      typed={typed}
      onPlay={onPlay}
    />
  );
  return (
    <>
      <h2>
        {say('moves')}
        <span class="typed">{typed ? say('moves.typed', { keys: typed }) : say('moves.keys')}</span>
      </h2>
      <ul class="movers">
        {clients.map((name, client) => (
          <li key={name} class={`mover client-${client}`}>
            <span class="mover-name">{name}</span>
            <div class="mover-moves">
              <ClientMoves name={name} moves={usual.filter((move) => clientOf(move) === name)} typed={typed} button={button} />
              {game.still.includes(name) && <p class="still">{whyStill(game, client, say, translate)}</p>}
            </div>
          </li>
        ))}
        {others.length > 0 && (
          <li class="mover world">
            <span class="mover-name" aria-label={say('moves.world')}>
              ◷
            </span>
            <div class="mover-moves">{others.map(button)}</div>
          </li>
        )}
      </ul>
      {faults.length > 0 && (
        <div class="faults" role="group" aria-label={say('moves.faults')}>
          <h3>
            <span aria-hidden="true">✕ </span>
            {say('moves.faults')}
          </h3>
          {faults.length <= mostFaults ? faults.map(button) : (
            <MoreMoves summary={say('moves.all-faults', { n: faults.length })} moves={faults} typed={typed} button={button} />
          )}
        </div>
      )}
    </>
  );
}

interface ListProps {
  moves: Move[];
  typed: string;
  button(move: Move): ComponentChildren;
}

function ClientMoves({ name, moves, ...others }: ListProps & { name: string }) {
  const say = useSay();
  const { first, more } = divided(moves);
  return (
    <>
      {first.map(others.button)}
      {more.length > 0 && <MoreMoves summary={say('moves.more', { name, n: more.length })} moves={more} {...others} />}
    </>
  );
}

// Folded, until the keys of one of them are typed.
function MoreMoves({ summary, moves, typed, button }: ListProps & { summary: string }) {
  const isTyped = typed !== '' && moves.some(({ key }) => key.startsWith(typed) && key !== typed);
  return (
    <details class="more-moves" open={isTyped || undefined}>
      <summary class="small">{summary}</summary>
      <div class="mover-moves">{moves.map(button)}</div>
    </details>
  );
}

interface ButtonProps {
  move: Move;
  client: number;
  typed: string;
  onPlay(key: string): void;
}

function MoveButton({ move, client, typed, onPlay }: ButtonProps) {
  const translate = useTranslate();
  const names = ['move', client < 0 ? 'world' : `client-${client}`];
  const text = briefly(translate(move.text));
  if (text.length > mostInHalfALine) names.push('move-long');
  if (move.fault) names.push('move-fault');
  if (typed && move.key.startsWith(typed)) names.push('move-typed');
  return (
    <button
      type="button"
      class={names.join(' ')}
      title={briefly(move.text) === shortened(move.text) ? undefined : shortened(translate(move.text))}
      aria-keyshortcuts={move.key.length === 1 ? move.key : undefined}
      onClick={() => onPlay(move.key)}
    >
      <kbd>{move.key}</kbd>
      <span class="mono">
        {move.fault && move.mover !== 'world' ? `${move.mover} ` : ''}
        {move.mover.includes('/') ? `${move.mover} ` : ''}
        <Whole text={text} />
      </span>
    </button>
  );
}
