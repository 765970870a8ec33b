/** On which sides of a box that scrolls sideways there is more than it shows. */
export type MoreBeyond = { start: boolean; end: boolean };

type Scrolled = { scrollLeft: number; scrollWidth: number; clientWidth: number };

/** `scrollLeft` is negative where the text goes from right to left; a pixel less than one is the browser's rounding. */
export function moreBeyond({ scrollLeft, scrollWidth, clientWidth }: Scrolled): MoreBeyond {
  const fromStart = Math.abs(scrollLeft);
  return { start: fromStart > 1, end: scrollWidth - clientWidth - fromStart > 1 };
}
