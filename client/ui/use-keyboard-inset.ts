import { useEffect } from 'react';
import { keyboardInset } from './keyboard-inset.ts';

/** Tells the styles how high a keyboard on the screen covers the page, so that the message field stands above it. */
export function useKeyboardInset(): void {
  useEffect(() => {
    const { visualViewport } = window;
    if (visualViewport === null) return;
    const { style } = document.documentElement;
    const look = () => {
      const { height, offsetTop, scale } = visualViewport;
      const { clientHeight } = document.documentElement;
      const inset = keyboardInset({ layoutHeight: clientHeight, seenHeight: height, seenTop: offsetTop, scale });
      style.setProperty('--keyboard-inset', `${inset}px`);
    };
    visualViewport.addEventListener('resize', look);
    visualViewport.addEventListener('scroll', look);
    return () => {
      visualViewport.removeEventListener('resize', look);
      visualViewport.removeEventListener('scroll', look);
      style.removeProperty('--keyboard-inset');
    };
  }, []);
}
