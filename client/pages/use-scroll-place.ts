import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { deviceStorage } from '../device/device-storage.ts';
import { loadMarkdown } from '../markdown/load-markdown.ts';
import { currentPlace, loadPlace, restorePlace, type ScrollPlace, savePlace } from '../reading/scroll-place.ts';

export type ScrollPlaces = ReturnType<typeof useScrollPlaces>;

/**
 * The places where the person was in the conversations of this tab, and whether they come back to one: by the history or, to
 * the one that is kept under `key`, by a reload.
 */
export function useScrollPlaces(key: string, openId: string) {
  const [stored] = useState(() => loadPlace(deviceStorage('sessionStorage'), key));
  const places = useRef(new Map<string, ScrollPlace>(stored && [[stored.id, stored]]));
  const isReturning = useRef(stored?.id === openId);
  // Once and for all: listened to anew, it would hear of it after the router, which draws the page at once.
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

/** Scrolls a conversation back to where the person was, when they come back to it by the history or a reload. */
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
