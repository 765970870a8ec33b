import { useEffect, useRef } from 'react';

/**
 * Gives the focus to the element that `fallback` returns if a render of the component removes or disables the control that has it,
 * such as the Stop button at the end of a reply: the keyboard would be nowhere. If no element has the focus, it stays so, and
 * no selected text is lost.
 */
export function useFocusFallback(fallback: () => HTMLElement | null): void {
  const focused = useRef<Element>(null);

  useEffect(() => {
    const remember = () => {
      focused.current = document.activeElement;
    };
    document.addEventListener('focusin', remember);
    document.addEventListener('click', remember, true);
    return () => {
      document.removeEventListener('focusin', remember);
      document.removeEventListener('click', remember, true);
    };
  }, []);

  useEffect(() => {
    const { current } = focused;
    if (current === null || (current.isConnected && !current.matches(':disabled'))) return;
    if (document.activeElement === document.body || document.activeElement === current) fallback()?.focus();
  });
}
