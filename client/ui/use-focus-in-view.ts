import { type RefObject, useEffect } from 'react';

/**
 * Keeps a control in `flow` that has the keyboard's focus uncovered while the page changes around it: replies that become
 * Markdown only now, or that are drawn for the first time, would push it below the header or the dock, or out of the
 * window. Nothing moves for a reader who has scrolled away from it.
 */
export function useFocusInView(flow: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    let kept: Element | undefined;
    const look = () => {
      const focused = document.activeElement ?? document.body;
      kept = flow.current?.contains(focused) && isMarked(focused) && isClear(focused) ? focused : undefined;
    };
    // The browser moves the focus first, and then scrolls to it.
    const lookOnceScrolled = () => requestAnimationFrame(look);
    const stay = () => {
      if (kept === document.activeElement) kept?.scrollIntoView({ block: 'nearest' });
    };
    const growth = new ResizeObserver(stay);
    growth.observe(document.body);
    document.addEventListener('focusin', lookOnceScrolled);
    window.addEventListener('scroll', look, { passive: true });
    window.addEventListener('resize', stay);
    return () => {
      growth.disconnect();
      document.removeEventListener('focusin', lookOnceScrolled);
      window.removeEventListener('scroll', look);
      window.removeEventListener('resize', stay);
    };
  }, [flow]);
}

/** Whether the focus shows on `element`: it came by the keyboard, and to a control. */
function isMarked(element: Element): boolean {
  return element.matches(':focus-visible:not([tabindex="-1"])');
}

/** Whether the whole of `element` stands where the browser scrolls to what gets the focus, give or take part of a pixel. */
function isClear(element: Element): boolean {
  const { scrollPaddingTop, scrollPaddingBottom } = getComputedStyle(document.documentElement);
  const { top, bottom } = element.getBoundingClientRect();
  const first = Number.parseFloat(scrollPaddingTop) - 1;
  const last = window.innerHeight - Number.parseFloat(scrollPaddingBottom) + 1;
  return top >= first && bottom <= last;
}
