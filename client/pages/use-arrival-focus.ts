import { useCallback, useEffect, useReducer, useRef } from 'react';
import { messageFieldId } from '../ui/composer.tsx';

/**
 * Gives the message field the focus at the start, and when the person has gone to a conversation themselves: the returned
 * function says so. Nothing scrolls. Where fingers point the focus stays where it is: a keyboard would cover the page.
 */
export function useArrivalFocus(isReady: boolean): () => void {
  const [arrivals, arrive] = useReducer((count: number) => count + 1, 1);
  const seen = useRef(0);

  useEffect(() => {
    if (!isReady || seen.current === arrivals) return;
    const isFirst = seen.current === 0;
    seen.current = arrivals;
    // Who came from another page of ours is at its heading.
    if (isFirst && document.activeElement !== document.body) return;
    if (!window.matchMedia('(pointer: fine)').matches) return;
    document.getElementById(messageFieldId)?.focus({ preventScroll: true });
  }, [arrivals, isReady]);

  return useCallback(() => arrive(), []);
}
