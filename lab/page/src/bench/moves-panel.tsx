// Who can move next, and who cannot and why. Faults stand apart.
import type { GameState, Move } from '../engine/types';
import { useSay, useTranslate } from '../state/texts';
import { whyStill } from './why-still';

interface Props {
  game: GameState;
  typed: string;
  onPlay(key: string): void;
}

const clientOf = (move: Move) => move.mover.split('/')[0]!;

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
              {usual.filter((move) => clientOf(move) === name).map(button)}
              {game.still.some((still) => still.client === name) && (
                <p class="still">{whyStill(game, client, say, translate)}</p>
              )}
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
          {faults.map(button)}
        </div>
      )}
    </>
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
  if (move.fault) names.push('move-fault');
  if (typed && move.key.startsWith(typed)) names.push('move-typed');
  return (
    <button
      type="button"
      class={names.join(' ')}
      aria-keyshortcuts={move.key.length === 1 ? move.key : undefined}
      onClick={() => onPlay(move.key)}
    >
      <kbd>{move.key}</kbd>
      <span class="mono">
        {move.fault && move.mover !== 'world' ? `${move.mover} ` : ''}
        {move.mover.includes('/') ? `${move.mover} ` : ''}
        {translate(move.text)}
      </span>
    </button>
  );
}
