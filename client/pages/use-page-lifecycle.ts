import { useEffect } from 'react';
import { useWindowEvent } from '../controls/use-window-event.ts';

/** The methods by which conversations follow the page's lifecycle. */
type PageLifecycle = {
  aboutToLeave: () => void;
  leave: () => void;
  persist: () => void;
  checkElsewhere: () => void;
  mergeStored: () => void;
};

/** Keeps conversations when the page is hidden or left, and brings them up to date when it is shown again. */
export function usePageLifecycle({ aboutToLeave, leave, persist, checkElsewhere, mergeStored }: PageLifecycle): void {
  useWindowEvent('beforeunload', aboutToLeave);
  useWindowEvent('pagehide', leave);
  useEffect(() => leave, [leave]);
  useWindowEvent('pageshow', ({ persisted }) => {
    // A page from the back/forward cache is as it was left, and has missed what other tabs did meanwhile.
    if (persisted) mergeStored();
  });
  useEffect(() => {
    // On a phone a hidden page may be discarded without a further event.
    const onVisibilityChange = () => (document.hidden ? persist() : checkElsewhere());
    document.addEventListener('visibilitychange', onVisibilityChange);
    return () => document.removeEventListener('visibilitychange', onVisibilityChange);
  }, [persist, checkElsewhere]);
}
