import { useEffect } from 'react';

/** What takes Escape for itself while the focus is in it. */
const ownUses = 'input, select, textarea, [contenteditable], dialog, [popover], [role="menu"], [role="listbox"]';

/** What Escape closes first, wherever the focus is. */
const openAbove = 'dialog[open], :popover-open';

/**
 * Calls `onStop` when Escape is pressed while `isRunning`: in the field with the id `fieldId` or on the page itself. In any
 * other field, and in a dialog or a menu, Escape does only what it does there.
 */
export function useStopOnEscape(isRunning: boolean, fieldId: string, onStop: () => void): void {
  useEffect(() => {
    if (!isRunning) return;
    const stop = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.isComposing || event.defaultPrevented) return;
      const { target } = event;
      const isTaken = target instanceof Element && target.id !== fieldId && target.closest(ownUses) !== null;
      if (!isTaken && document.querySelector(openAbove) === null) onStop();
    };
    window.addEventListener('keydown', stop);
    return () => window.removeEventListener('keydown', stop);
  }, [isRunning, fieldId, onStop]);
}
