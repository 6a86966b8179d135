// The run as the terminal writes it: to open one, and to take this one along.
import { useState } from 'preact/hooks';
import type { Engine } from '../engine/engine';
import type { GameState, Scenario } from '../engine/types';
import type { AddressProblem } from '../state/address-problem';
import { useSay } from '../state/texts';
import type { Lab } from '../state/use-lab';
import { CommandLine } from './command-line';
import { ProblemNotice } from './problem-notice';
import { SaveButtons } from './save';

interface Props {
  engine: Engine;
  game: GameState;
  scenarios: Scenario[];
  lab: Lab;
}

export function AddressPanel({ engine, game, scenarios, lab }: Props) {
  const say = useSay();
  const [edited, setEdited] = useState({ of: game.short, text: game.short });
  const [wrong, setWrong] = useState<{ text: string; problem: AddressProblem } | null>(null);
  const text = edited.of === game.short ? edited.text : game.short;

  const open = (event: Event) => {
    event.preventDefault();
    const problem = lab.paste(text);
    setWrong(problem && { text, problem });
  };
  return (
    <section class="panel address">
      <h2>{say('address')}</h2>
      <form class="address-form" onSubmit={open}>
        <label class="field">
          <span>{say('address.field')}</span>
          <input
            class="mono"
            name="short"
            value={text}
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            onInput={(event) => setEdited({ of: game.short, text: event.currentTarget.value })}
          />
        </label>
        <button type="submit">{say('address.open')}</button>
      </form>
      {wrong?.text === text && <ProblemNotice refused problem={wrong.problem} scenarios={scenarios} onOpen={lab.open} />}
      <p class="small">{say('address.help')}</p>
      <CommandLine command={game.replay} />
      <SaveButtons engine={engine} game={game} />
    </section>
  );
}
