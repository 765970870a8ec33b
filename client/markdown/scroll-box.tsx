import { createElement, type KeyboardEvent, type ReactNode, type RefObject, useLayoutEffect, useRef } from 'react';

type ScrollBoxProps = {
  label: string;
  /** Called on a click and on Enter. */
  onOpen?: () => void;
  children: ReactNode;
};

/** The box is focusable, so that keys scroll it. Its edges fade on the sides with more content. */
export function ScrollBox({ label, onOpen, children }: ScrollBoxProps) {
  const box = useRef<HTMLElement>(null);
  useOverflowMarkers(box);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || onOpen === undefined) return;
    // Otherwise the key would also press the button that gets the focus.
    event.preventDefault();
    onOpen();
  };
  return createElement(
    'div',
    { ref: box, className: 'scroll-box', role: 'group', 'aria-label': label, tabIndex: 0, onClick: onOpen, onKeyDown },
    children,
  );
}

function useOverflowMarkers(box: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const element = box.current;
    const content = element?.firstElementChild;
    if (!element || !content) return;
    const mark = () => {
      markOverflow(element);
      // The sticky head of a table can move this far.
      const head = content.querySelector('thead')?.offsetHeight ?? 0;
      element.style.setProperty('--below-head', `${content.clientHeight - head}px`);
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

/** Sets attributes for the sides of `box` that have more content. React state would render the component again on each scroll. */
function markOverflow(box: HTMLElement): void {
  // `scrollLeft` is negative in right-to-left text. Browsers round by up to one pixel.
  const fromStart = Math.abs(box.scrollLeft);
  const start = fromStart > 1;
  const end = box.scrollWidth - box.clientWidth - fromStart > 1;
  box.toggleAttribute('data-more-start', start);
  box.toggleAttribute('data-more-end', end);
  box.toggleAttribute('data-fits', !start && !end);
  // `:dir(rtl)` is not evaluated again when the text inside changes its direction.
  box.toggleAttribute('data-begins-right', getComputedStyle(box).direction === 'rtl');
}
