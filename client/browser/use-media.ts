import { useSyncExternalStore } from 'react';

export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (onChange) => {
      const mediaQuery = window.matchMedia(query);
      mediaQuery.addEventListener('change', onChange);
      return () => mediaQuery.removeEventListener('change', onChange);
    },
    () => window.matchMedia(query).matches,
  );
}

const coarsePointerQuery = '(pointer: coarse)';

/** Returns whether the primary pointer is a finger, which implies an on-screen keyboard. */
export function useCoarsePointer(): boolean {
  return useMedia(coarsePointerQuery);
}

export function isPointerCoarse(): boolean {
  return window.matchMedia(coarsePointerQuery).matches;
}
