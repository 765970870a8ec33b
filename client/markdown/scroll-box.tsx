import { createElement, type ReactNode, type RefObject, useLayoutEffect, useRef } from 'react';

type ScrollBoxProps = { label: string; children: ReactNode };

/**
 * Scrolls content that is wider than the page. The box is focusable, so that keys scroll it; its edges fade on the sides with more
 * content.
 */
export function ScrollBox({ label, children }: ScrollBoxProps) {
  const box = useRef<HTMLElement>(null);
  useOverflowMarkers(box);
  return createElement(
    'div',
    { ref: box, className: 'scroll-box', role: 'group', 'aria-label': label, tabIndex: 0 },
    children,
  );
}

/** Marks the sides with more content by attributes, so that scrolling does not render anything. */
function useOverflowMarkers(box: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const element = box.current;
    const content = element?.firstElementChild;
    if (!element || !content) return;
    const mark = () => {
      const { start, end } = overflowOf(element);
      element.toggleAttribute('data-more-start', start);
      element.toggleAttribute('data-more-end', end);
      element.toggleAttribute('data-fits', !start && !end);
      // The distance over which the head of a table can follow the window.
      const head = content.querySelector('thead')?.offsetHeight ?? 0;
      element.style.setProperty('--below-head', `${content.clientHeight - head}px`);
      // `:dir(rtl)` is not evaluated again when the text inside changes its direction.
      element.toggleAttribute('data-begins-right', getComputedStyle(element).direction === 'rtl');
    };
    const sizes = new ResizeObserver(mark);
    sizes.observe(element);
    sizes.observe(content);
    element.addEventListener('scroll', mark, { passive: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener('scroll', mark);
    };
  }, [box]);
}

type Scrolled = { scrollLeft: number; scrollWidth: number; clientWidth: number };

/** `scrollLeft` is negative in right-to-left text. Browsers round by up to one pixel. */
function overflowOf({ scrollLeft, scrollWidth, clientWidth }: Scrolled) {
  const fromStart = Math.abs(scrollLeft);
  return { start: fromStart > 1, end: scrollWidth - clientWidth - fromStart > 1 };
}
