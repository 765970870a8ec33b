import { useCallback, useEffect, useReducer, useRef } from 'react';
import { messageFieldId } from '../ui/composer.tsx';

/**
 * Gives the message field the focus at the start, and when the person has gone to a conversation themselves: the returned
 * function says so. Nothing scrolls. Where fingers point the focus stays where it is: a keyboard would cover the page. Who has
 * gone on before the field is there keeps the focus where it is, too.
 */
export function useArrivalFocus(isReady: boolean): () => void {
  const [arrivals, arrive] = useReducer((count: number) => count + 1, 1);
  const seen = useRef(0);

  useEffect(() => {
    if (seen.current === arrivals) return;
    if (!isReady) return onMovedOn(() => (seen.current = arrivals));
    const isFirst = seen.current === 0;
    seen.current = arrivals;
    // Who came from another page of ours is at its heading.
    if (isFirst && document.activeElement !== document.body) return;
    if (!window.matchMedia('(pointer: fine)').matches) return;
    document.getElementById(messageFieldId)?.focus({ preventScroll: true });
  }, [arrivals, isReady]);

  return useCallback(() => arrive(), []);
}

/** Calls `act` when the person goes on to something else: by Tab, or by a press into a field. Returns what ends this. */
function onMovedOn(act: () => void): () => void {
  const onKey = ({ key }: KeyboardEvent) => {
    if (key === 'Tab') act();
  };
  const onPress = ({ target }: PointerEvent) => {
    if (target instanceof Element && target.matches('input, textarea')) act();
  };
  window.addEventListener('keydown', onKey);
  window.addEventListener('pointerdown', onPress);
  return () => {
    window.removeEventListener('keydown', onKey);
    window.removeEventListener('pointerdown', onPress);
  };
}
