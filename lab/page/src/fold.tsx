// A part of the page that can be folded. The browser remembers whether it is.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { remember, remembered } from './state/storage';

interface Props {
  name: string;
  class?: string;
  summary: ComponentChildren;
  children: ComponentChildren;
  open?: boolean;
}

const isYesOrNo = (found: unknown): found is boolean => typeof found === 'boolean';

export function Fold({ name, class: names, summary, children, open = true }: Props) {
  const [isOpen, setOpen] = useState(() => remembered(`fold.${name}`, isYesOrNo, open));
  return (
    <details
      class={names}
      open={isOpen}
      onToggle={(event) => {
        const now = event.currentTarget.open;
        setOpen(now);
        remember(`fold.${name}`, now);
      }}
    >
      <summary>{summary}</summary>
      {children}
    </details>
  );
}
