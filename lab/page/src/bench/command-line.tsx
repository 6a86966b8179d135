// A line for a terminal, and a button that copies it.
import { useRef, useState } from 'preact/hooks';
import { useSay } from '../state/texts';

export function CommandLine({ command }: { command: string }) {
  const say = useSay();
  const line = useRef<HTMLElement>(null);
  const [copied, setCopied] = useState({ of: '', done: false });
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(command);
      setCopied({ of: command, done: true });
    } catch {
      getSelection()?.selectAllChildren(line.current!);
      setCopied({ of: command, done: false });
    }
  };
  return (
    <p class="replay">
      <code ref={line}>{command}</code>
      <button type="button" onClick={copy}>
        {say('address.copy')}
      </button>
      <span role="status">{copied.of === command && say(copied.done ? 'address.copied' : 'address.selected')}</span>
    </p>
  );
}
