// The focus is never lost: when its element goes, or can no longer have it, the panel around it
// takes its place.
import { useEffect } from 'preact/hooks';

const panels = '.panel, main';

const keepsFocus = (element: HTMLElement) =>
  element.isConnected && !element.matches(':disabled') && element.getClientRects().length > 0;

export function useKeptFocus() {
  useEffect(() => {
    let last: HTMLElement | null = null;
    let around: HTMLElement[] = [];
    const remember = (event: FocusEvent) => {
      last = event.target as HTMLElement;
      around = [];
      for (let at = last.parentElement?.closest<HTMLElement>(panels); at; at = at.parentElement?.closest<HTMLElement>(panels)) {
        around.push(at);
      }
    };
    // A click beside everything gives the focus up.
    const forget = (event: PointerEvent) => {
      if (!(event.target as HTMLElement).closest('button, input, select, summary, a, [tabindex]')) last = null;
    };
    const keep = () => {
      if (!last || document.activeElement !== document.body || keepsFocus(last)) return;
      const heir = around.find((panel) => panel.isConnected);
      last = null;
      if (!heir) return;
      if (!heir.hasAttribute('tabindex')) heir.tabIndex = -1;
      heir.focus({ preventScroll: true });
    };
    const changes = new MutationObserver(keep);
    changes.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled', 'open'] });
    addEventListener('focusin', remember);
    addEventListener('pointerdown', forget);
    return () => {
      changes.disconnect();
      removeEventListener('focusin', remember);
      removeEventListener('pointerdown', forget);
    };
  }, []);
}
