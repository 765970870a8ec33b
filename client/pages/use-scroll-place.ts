import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { loadMarkdown } from '../markdown/load-markdown.ts';
import { goToPlace, keepPlace, keptPlace, placeNow, type ScrollPlace } from '../reading/scroll-place.ts';

export type ScrollPlaces = ReturnType<typeof useScrollPlaces>;

/**
 * The places where the person was in the conversations of this page, and whether they come back to one: by the history or, to
 * `openId`, by a reload.
 */
export function useScrollPlaces(openId: string) {
  const [reloaded] = useState(() => keptPlace(window.history.state));
  const places = useRef(new Map<string, ScrollPlace>(reloaded && [[openId, reloaded]]));
  const comesBack = useRef(reloaded !== undefined);
  useEffect(() => {
    const note = () => {
      comesBack.current = true;
    };
    window.addEventListener('popstate', note);
    window.addEventListener('pagehide', keepPlace);
    return () => {
      window.removeEventListener('popstate', note);
      window.removeEventListener('pagehide', keepPlace);
    };
  }, []);
  return { places, comesBack };
}

/** Brings who comes back to the conversation `id` to where they were. */
export function useScrollPlace({ places, comesBack }: ScrollPlaces, id: string): void {
  useLayoutEffect(() => {
    const kept = places.current;
    const place = comesBack.current ? kept.get(id) : undefined;
    comesBack.current = false;
    const callOff = place && goToPlace(place, loadMarkdown());
    return () => {
      callOff?.();
      const left = placeNow();
      if (left) kept.set(id, left);
    };
  }, [places, comesBack, id]);
}
