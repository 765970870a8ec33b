import { useEffect } from 'react';

/** Lengths in CSS pixels. */
type Viewports = {
  layoutHeight: number;
  /** Height of the visual viewport, and its offset from the top of the layout viewport. */
  visibleHeight: number;
  visibleTop: number;
  /** Pinch zoom factor. */
  scale: number;
};

/**
 * Returns how much of the page's bottom an on-screen keyboard covers, in CSS pixels. Returns 0 if the browser shrinks the page instead,
 * and while the page is zoomed in, because the zoom also makes the visual viewport smaller.
 */
export function keyboardInset({ layoutHeight, visibleHeight, visibleTop, scale }: Viewports): number {
  if (Math.abs(scale - 1) > 0.01) return 0;
  return Math.max(0, Math.round(layoutHeight - visibleHeight - visibleTop));
}

/** Sets `--keyboard-inset`, which the style sheet uses to raise the message field above the keyboard. */
export function useKeyboardInset(): void {
  useEffect(() => {
    const { visualViewport } = window;
    if (visualViewport === null) return;
    const { style } = document.documentElement;
    const update = () => {
      const { height, offsetTop, scale } = visualViewport;
      const { clientHeight } = document.documentElement;
      const inset = keyboardInset({ layoutHeight: clientHeight, visibleHeight: height, visibleTop: offsetTop, scale });
      style.setProperty('--keyboard-inset', `${inset}px`);
    };
    visualViewport.addEventListener('resize', update);
    visualViewport.addEventListener('scroll', update);
    return () => {
      visualViewport.removeEventListener('resize', update);
      visualViewport.removeEventListener('scroll', update);
      style.removeProperty('--keyboard-inset');
    };
  }, []);
}
