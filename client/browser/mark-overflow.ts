/** Sets attributes for the sides of `box` that have more content. React state would render the component again on each scroll. */
export function markOverflow(box: HTMLElement): void {
  const { start, end } = overflowOf(box);
  box.toggleAttribute('data-more-start', start);
  box.toggleAttribute('data-more-end', end);
  box.toggleAttribute('data-fits', !start && !end);
  // `:dir(rtl)` is not evaluated again when the text inside changes its direction.
  box.toggleAttribute('data-begins-right', getComputedStyle(box).direction === 'rtl');
}

type Scrolled = { scrollLeft: number; scrollWidth: number; clientWidth: number };

/** `scrollLeft` is negative in right-to-left text. Browsers round by up to one pixel. */
function overflowOf({ scrollLeft, scrollWidth, clientWidth }: Scrolled) {
  const fromStart = Math.abs(scrollLeft);
  return { start: fromStart > 1, end: scrollWidth - clientWidth - fromStart > 1 };
}
