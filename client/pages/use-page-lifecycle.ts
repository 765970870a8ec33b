import { useEffect } from 'react';
import { useWindowEvent } from '../controls/use-window-event.ts';

/** The methods of conversations that follow the page's lifecycle. */
type PageLifecycle = {
  aboutToLeave: () => void;
  leave: () => void;
  keep: () => void;
  settle: () => void;
  takeIn: () => void;
};

/** Persists conversations when the page is hidden or left, and refreshes them when it is shown again. */
export function usePageLifecycle({ aboutToLeave, leave, keep, settle, takeIn }: PageLifecycle): void {
  useWindowEvent('beforeunload', aboutToLeave);
  useWindowEvent('pagehide', leave);
  useEffect(() => leave, [leave]);
  useWindowEvent('pageshow', ({ persisted }) => {
    // A page restored from the back/forward cache has missed the changes of other tabs.
    if (persisted) takeIn();
  });
  useEffect(() => {
    // On a phone a hidden page can be discarded without a further event.
    const update = () => (document.hidden ? keep() : settle());
    document.addEventListener('visibilitychange', update);
    return () => document.removeEventListener('visibilitychange', update);
  }, [keep, settle]);
}
