import { useEffect, useRef } from 'react';

/**
 * Moves the focus to the heading of a page that was navigated to, as loading one would: the link that led there is gone,
 * and a screen reader would say nothing. The first page is left to the browser.
 */
export function usePageFocus(location: string): void {
  const shown = useRef(location);
  useEffect(() => {
    if (shown.current === location) return;
    shown.current = location;
    if (focusHeading()) return;
    // What the device keeps is read first, and then there is a heading.
    const arrival = new MutationObserver(() => {
      if (focusHeading()) arrival.disconnect();
    });
    arrival.observe(document.body, { childList: true, subtree: true });
    return () => arrival.disconnect();
  }, [location]);
}

/** Returns false where the page has no heading yet. */
function focusHeading(): boolean {
  const heading = document.querySelector<HTMLElement>('main h1');
  if (heading === null) return false;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
  return true;
}
