import { useEffect, useLayoutEffect, useRef } from 'react';

/** Where somebody was in a conversation: the turn at the top of the window, and its distance from there in pixels. */
type Place = { turnId: string; top: number };

export type ScrollPlaces = ReturnType<typeof useScrollPlaces>;

/** The places where the person was in the conversations of this page, and whether they come back to one by the history. */
export function useScrollPlaces() {
  const places = useRef(new Map<string, Place>());
  const comesBack = useRef(false);
  useEffect(() => {
    const note = () => {
      comesBack.current = true;
    };
    window.addEventListener('popstate', note);
    return () => window.removeEventListener('popstate', note);
  }, []);
  return { places, comesBack };
}

/** Scrolls a conversation back to where the person was, when they come back to it by the history. */
export function useScrollPlace({ places, comesBack }: ScrollPlaces, id: string): void {
  useLayoutEffect(() => {
    const kept = places.current;
    const place = comesBack.current ? kept.get(id) : undefined;
    comesBack.current = false;
    if (place) scrollTo(place);
    // What is laid out for the first time may be of another height than expected.
    const frame = requestAnimationFrame(() => place && scrollTo(place));
    return () => {
      cancelAnimationFrame(frame);
      const left = placeNow();
      if (left) kept.set(id, left);
    };
  }, [places, comesBack, id]);
}

function placeNow(): Place | undefined {
  const turns = [...document.querySelectorAll<HTMLElement>('[data-turn]')];
  const first = turns.find((turn) => turn.getBoundingClientRect().bottom > 0);
  const turnId = first?.dataset.turn;
  return first && turnId !== undefined ? { turnId, top: first.getBoundingClientRect().top } : undefined;
}

function scrollTo({ turnId, top }: Place): void {
  const turn = document.querySelector(`[data-turn="${CSS.escape(turnId)}"]`);
  if (turn) window.scrollBy({ top: turn.getBoundingClientRect().top - top, behavior: 'instant' });
}
