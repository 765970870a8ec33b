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
