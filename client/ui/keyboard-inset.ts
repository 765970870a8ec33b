import { useEffect } from 'react';
/** The parts of `window` and its `visualViewport` that tell of a keyboard on the screen, in CSS pixels. */
export type Viewports = {
  /** The height that the page is laid out in. */
  layoutHeight: number;
  /** The height that is seen of it, and how far below its top that begins. */
  seenHeight: number;
  seenTop: number;
  /** How much the person has zoomed in. */
  scale: number;
};

/**
 * How high a keyboard covers the lower end of the page, in CSS pixels: where the browser does not make the page smaller for
 * it. Zero while the person has zoomed in, for then it is the zoom that hides the rest.
 */
export function keyboardInset({ layoutHeight, seenHeight, seenTop, scale }: Viewports): number {
  if (Math.abs(scale - 1) > 0.01) return 0;
  return Math.max(0, Math.round(layoutHeight - seenHeight - seenTop));
}

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
