import { useEffect, useRef } from 'react';

/**
 * Gives the focus to what `heir` returns when the control that has it goes away or is disabled, a Stop button at the end of a reply,
 * say: the keyboard would be nowhere. A focus that was on nothing stays there, so that no selected text is lost.
 */
export function useKeptFocus(heir: () => HTMLElement | null): void {
  const focused = useRef<Element>(null);

  useEffect(() => {
    const note = () => {
      focused.current = document.activeElement;
    };
    document.addEventListener('focusin', note);
    document.addEventListener('click', note, true);
    return () => {
      document.removeEventListener('focusin', note);
      document.removeEventListener('click', note, true);
    };
  }, []);

  useEffect(() => {
    const { current } = focused;
    if (current === null || (current.isConnected && !current.matches(':disabled'))) return;
    if (document.activeElement === document.body || document.activeElement === current) heir()?.focus();
  });
}
