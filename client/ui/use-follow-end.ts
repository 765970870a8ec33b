import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

const nearEndPixels = 48;

/**
 * Keeps the end of the page in view while the page grows, for as long as the reader is there. One who scrolls up, by
 * whatever means, or who marks text, is reading: nothing moves until they come back to the end or ask the next question.
 * Returns whether the reader is at the end, and a way to get there.
 */
export function useFollowEnd(turnCount: number) {
  const follows = useRef(true);
  const lastTop = useRef(0);
  const shownTurns = useRef(turnCount);
  const [isAtEnd, setIsAtEnd] = useState(true);

  const goToEnd = useCallback(() => {
    follows.current = true;
    setIsAtEnd(true);
    window.scrollTo({ top: document.documentElement.scrollHeight });
    lastTop.current = window.scrollY;
  }, []);

  useEffect(() => {
    const settle = (isFollowing: boolean) => {
      follows.current = isFollowing;
      setIsAtEnd(isFollowing);
    };
    const look = () => {
      const distance = pixelsToEnd();
      // A page that became shorter moves up as well, but then its end is in view.
      const movedUp = window.scrollY < lastTop.current && distance > 1;
      lastTop.current = window.scrollY;
      if (movedUp) settle(false);
      else if (distance < nearEndPixels) settle(true);
    };
    const stay = () => {
      if (shownTurns.current === 0 || !follows.current) return;
      if (isMarkingText()) settle(pixelsToEnd() < nearEndPixels);
      else goToEnd();
    };
    // Within a frame this comes after the layout and before the paint: what is followed never jumps.
    const growth = new ResizeObserver(stay);
    growth.observe(document.body);
    window.addEventListener('scroll', look, { passive: true });
    window.addEventListener('resize', stay);
    return () => {
      growth.disconnect();
      window.removeEventListener('scroll', look);
      window.removeEventListener('resize', stay);
    };
  }, [goToEnd]);

  useLayoutEffect(() => {
    if (turnCount > 0 && (turnCount > shownTurns.current || follows.current)) goToEnd();
    shownTurns.current = turnCount;
  }, [turnCount, goToEnd]);

  return { isAtEnd, goToEnd };
}

function pixelsToEnd(): number {
  const { scrollTop, scrollHeight, clientHeight } = document.documentElement;
  return scrollHeight - scrollTop - clientHeight;
}

function isMarkingText(): boolean {
  const selection = document.getSelection();
  return selection !== null && !selection.isCollapsed;
}
