// The run as the terminal writes it: to open one, and to take this one along.
import { useRef, useState } from 'preact/hooks';
import type { GameState } from '../engine/types';
import { useSay } from '../state/texts';
import type { Lab } from '../state/use-lab';

export function AddressPanel({ game, lab }: { game: GameState; lab: Lab }) {
  const say = useSay();
  const command = useRef<HTMLElement>(null);
  const [edited, setEdited] = useState({ of: game.short, text: game.short });
  const [copied, setCopied] = useState({ of: '', done: false });
  const text = edited.of === game.short ? edited.text : game.short;

  const open = (event: Event) => {
    event.preventDefault();
    lab.open(text.trim());
  };
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(game.replay);
      setCopied({ of: game.short, done: true });
    } catch {
      getSelection()?.selectAllChildren(command.current!);
      setCopied({ of: game.short, done: false });
    }
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
      <p class="small">{say('address.help')}</p>
      <p class="replay">
        <code ref={command}>{game.replay}</code>
        <button type="button" onClick={copy}>
          {say('address.copy')}
        </button>
        <span role="status">
          {copied.of === game.short && say(copied.done ? 'address.copied' : 'address.selected')}
        </span>
      </p>
    </section>
  );
}
