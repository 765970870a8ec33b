import { type RefObject, useLayoutEffect } from 'react';

/** Tells the styles how high `dock` stands, which grows with the message in it: what gets the focus is scrolled clear of it. */
export function useDockHeight(dock: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const { current } = dock;
    if (current === null) return;
    const { style } = document.documentElement;
    const growth = new ResizeObserver(() => style.setProperty('--dock-height', `${current.offsetHeight}px`));
    growth.observe(current);
    return () => {
      growth.disconnect();
      style.removeProperty('--dock-height');
    };
  }, [dock]);
}
