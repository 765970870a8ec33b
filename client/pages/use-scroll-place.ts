import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { deviceStorage } from '../device/device-storage.ts';
import { loadMarkdown } from '../markdown/load-markdown.ts';
import { goToPlace, keepPlace, keptPlace, placeIn, type ScrollPlace } from '../reading/scroll-place.ts';

export type ScrollPlaces = ReturnType<typeof useScrollPlaces>;

/**
 * The places where the person was in the conversations of this tab, and whether they come back to one: by the history or, to
 * the one that is kept under `key`, by a reload.
 */
export function useScrollPlaces(key: string, openId: string) {
  const [kept] = useState(() => keptPlace(deviceStorage('sessionStorage'), key));
  const places = useRef(new Map<string, ScrollPlace>(kept && [[kept.id, kept]]));
  const comesBack = useRef(kept?.id === openId);
  // Once and for all: listened to anew, it would hear of it after the router, which draws the page at once.
  useEffect(() => {
    const note = () => {
      comesBack.current = true;
    };
    window.addEventListener('popstate', note);
    return () => window.removeEventListener('popstate', note);
  }, []);
  const placeToComeBackTo = useCallback((id: string) => (comesBack.current ? places.current.get(id) : undefined), []);
  return { key, places, comesBack, placeToComeBackTo };
}

/** Scrolls a conversation back to where the person was, when they come back to it by the history or a reload. */
export function useScrollPlace({ key, places, comesBack, placeToComeBackTo }: ScrollPlaces, id: string): void {
  useLayoutEffect(() => {
    const kept = places.current;
    const place = placeToComeBackTo(id);
    comesBack.current = false;
    const callOff = place && goToPlace(place, loadMarkdown());
    const keep = () => keepPlace(deviceStorage('sessionStorage'), key, placeIn(id));
    window.addEventListener('pagehide', keep);
    return () => {
      window.removeEventListener('pagehide', keep);
      callOff?.();
      const left = placeIn(id);
      if (left) kept.set(id, left);
    };
  }, [key, places, comesBack, placeToComeBackTo, id]);
}
