import { useEffect, useRef } from 'react';

/**
 * Moves the focus to the new page's heading, as loading a page would: otherwise the focus is lost with the link, and a screen
 * reader stays silent. The first page is left to the browser.
 */
export function usePageFocus(location: string): void {
  const lastLocation = useRef(location);
  useEffect(() => {
    if (lastLocation.current === location) return;
    lastLocation.current = location;
    if (focusHeading()) return;
    // The heading appears once the page has loaded its data.
    const arrival = new MutationObserver(() => {
      if (focusHeading()) arrival.disconnect();
    });
    arrival.observe(document.body, { childList: true, subtree: true });
    return () => arrival.disconnect();
  }, [location]);
}

function focusHeading(): boolean {
  const heading = document.querySelector<HTMLElement>('main h1');
  if (heading === null) return false;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
  return true;
}
