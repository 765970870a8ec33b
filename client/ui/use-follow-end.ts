import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

const nearEndPixels = 48;

/**
 * Keeps the end of the page in view while the page grows, as long as the reader is there; a new turn brings the reader
 * back. Returns whether the reader is at the end, and a way to get there.
 */
export function useFollowEnd(turnCount: number) {
  const follows = useRef(true);
  const shownTurns = useRef(turnCount);
  const [isAtEnd, setIsAtEnd] = useState(true);
  const goToEnd = useCallback(() => window.scrollTo({ top: document.documentElement.scrollHeight }), []);

  useEffect(() => {
    const look = () => {
      const { scrollTop, scrollHeight, clientHeight } = document.documentElement;
      follows.current = scrollHeight - scrollTop - clientHeight < nearEndPixels;
      setIsAtEnd(follows.current);
    };
    // A turned phone or another window size moves the end away from a reader who was there.
    const stay = () => {
      if (follows.current && shownTurns.current > 0) goToEnd();
    };
    window.addEventListener('scroll', look, { passive: true });
    window.addEventListener('resize', stay);
    return () => {
      window.removeEventListener('scroll', look);
      window.removeEventListener('resize', stay);
    };
  }, [goToEnd]);

  useLayoutEffect(() => {
    if (turnCount > shownTurns.current) follows.current = true;
    shownTurns.current = turnCount;
    if (follows.current && turnCount > 0) goToEnd();
  });

  return { isAtEnd, goToEnd };
}
