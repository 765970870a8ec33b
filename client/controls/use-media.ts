import { useSyncExternalStore } from 'react';

/** Whether the media `query` holds, drawn anew when that changes. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (onChange) => {
      const watched = window.matchMedia(query);
      watched.addEventListener('change', onChange);
      return () => watched.removeEventListener('change', onChange);
    },
    () => window.matchMedia(query).matches,
  );
}
