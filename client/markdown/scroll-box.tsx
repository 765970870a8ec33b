import { createElement, type ReactNode, type RefObject, useLayoutEffect, useRef } from 'react';

type ScrollBoxProps = { label: string; children: ReactNode };

/**
 * What may be wider than the page and then scrolls by itself. It can have the focus, so that keys scroll it too, and shows
 * at its edges where there is more.
 */
export function ScrollBox({ label, children }: ScrollBoxProps) {
  const box = useRef<HTMLElement>(null);
  useMoreBeyond(box);
  return createElement(
    'div',
    { ref: box, className: 'scroll-box', role: 'group', 'aria-label': label, tabIndex: 0 },
    children,
  );
}

/** Marks a box with the sides on which there is more than it shows. React does not draw again as it scrolls. */
function useMoreBeyond(box: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const element = box.current;
    const content = element?.firstElementChild;
    if (!element || !content) return;
    const mark = () => {
      const { start, end } = moreBeyond(element);
      element.toggleAttribute('data-more-start', start);
      element.toggleAttribute('data-more-end', end);
      element.toggleAttribute('data-fits', !start && !end);
      // How far the head of a table may follow the window.
      const head = content.querySelector('thead')?.offsetHeight ?? 0;
      element.style.setProperty('--below-head', `${content.clientHeight - head}px`);
      // `:dir(rtl)` is not looked at again when the text inside decides otherwise.
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

/** On which sides of a box that scrolls sideways there is more than it shows. */
type MoreBeyond = { start: boolean; end: boolean };

type Scrolled = { scrollLeft: number; scrollWidth: number; clientWidth: number };

/** `scrollLeft` is negative where the text goes from right to left; a pixel less than one is the browser's rounding. */
function moreBeyond({ scrollLeft, scrollWidth, clientWidth }: Scrolled): MoreBeyond {
  const fromStart = Math.abs(scrollLeft);
  return { start: fromStart > 1, end: scrollWidth - clientWidth - fromStart > 1 };
}
