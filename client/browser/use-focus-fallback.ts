import { useEffect, useRef } from 'react';

/**
 * Focuses the element that `fallback` returns after a render has removed, hidden or disabled the focused control: otherwise keyboard
 * users would start at the top of the page again. Does nothing if no control had the focus, so that a text selection stays.
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
    const { activeElement, body } = document;
    if (current === null || (activeElement !== body && activeElement !== current)) return;
    const isUsable = current.checkVisibility({ visibilityProperty: true }) && !current.matches(':disabled');
    if (!isUsable) fallback()?.focus({ preventScroll: true });
  });
}
