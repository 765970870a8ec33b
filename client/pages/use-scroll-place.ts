import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { deviceStorage } from '../device/device-storage.ts';
import { loadMarkdown } from '../markdown/load-markdown.ts';
import { currentPlace, loadPlace, restorePlace, type ScrollPlace, savePlace } from '../reading/scroll-place.ts';

export type ScrollPlaces = ReturnType<typeof useScrollPlaces>;

/**
 * The reading positions in this tab's conversations, and whether the user is returning to one: by Back or Forward, or, to the one
 * stored under `key`, by a reload.
 */
export function useScrollPlaces(key: string, openId: string) {
  const [stored] = useState(() => loadPlace(deviceStorage('sessionStorage'), key));
  const places = useRef(new Map<string, ScrollPlace>(stored && [[stored.id, stored]]));
  const isReturning = useRef(stored?.id === openId);
  // Registered once, before the router: a listener added later would run after the router has rendered the page.
  useEffect(() => {
    const onPopState = () => {
      isReturning.current = true;
    };
    window.addEventListener('popstate', onPopState);
    return () => window.removeEventListener('popstate', onPopState);
  }, []);
  const placeToRestore = useCallback((id: string) => (isReturning.current ? places.current.get(id) : undefined), []);
  return { key, places, isReturning, placeToRestore };
}

/** Restores the reading position after Back, Forward or a reload. */
export function useScrollPlace({ key, places, isReturning, placeToRestore }: ScrollPlaces, id: string): void {
  useLayoutEffect(() => {
    const stored = places.current;
    const place = placeToRestore(id);
    isReturning.current = false;
    const cancel = place && restorePlace(place, loadMarkdown());
    const save = () => savePlace(deviceStorage('sessionStorage'), key, currentPlace(id));
    window.addEventListener('pagehide', save);
    return () => {
      window.removeEventListener('pagehide', save);
      cancel?.();
      const last = currentPlace(id);
      if (last) stored.set(id, last);
    };
  }, [key, places, isReturning, placeToRestore, id]);
}
