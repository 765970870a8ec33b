import { useEffect } from 'react';
import { useWindowEvent } from '../browser/use-window-event.ts';

type PageLifecycle = Record<'prepareToLeave' | 'leave' | 'persist' | 'watchOtherTabs' | 'loadStored', () => void>;

export function usePageLifecycle({ prepareToLeave, leave, persist, watchOtherTabs, loadStored }: PageLifecycle): void {
  useWindowEvent('beforeunload', prepareToLeave);
  useWindowEvent('pagehide', leave);
  useEffect(() => leave, [leave]);
  useWindowEvent('pageshow', ({ persisted }) => {
    // A page restored from the back/forward cache has missed the changes of other tabs.
    if (persisted) loadStored();
  });
  // On a phone a hidden page can be discarded without a further event.
  useWindowEvent('visibilitychange', () => (document.hidden ? persist() : watchOtherTabs()));
}
