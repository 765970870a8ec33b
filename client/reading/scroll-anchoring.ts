/** A line of text or a control that can be found again after the page changes. */
export type ScrollAnchor = {
  /** The distance from the top of the window in pixels; undefined once it is no longer on the page. */
  top(): number | undefined;
};

/** The page, reduced to what this module needs. All lengths are pixels. */
type AnchoredPage = {
  scrollTop(): number;
  scrollTo(top: number): void;
  width(): number;
  height(): number;
  /** Whether another element has just received the focus, so that the browser scrolls to it. */
  isFocusNew(): boolean;
  /** Whether the user is scrolling to the start of the page, so that no line is held. */
  isToStart(): boolean;
  /** Whether a correction would end the user's scroll. The first call of `hold` after the scroll makes up for it. */
  isScrollFragile(): boolean;
  /** The anchor to hold; undefined if there is nothing to read in the window. */
  find(): ScrollAnchor | undefined;
};

/** A browser scrolls by whole pixels, so a drift of less than half a pixel cannot be corrected. */
const minDriftPixels = 0.5;

/**
 * Holds the reading position, as scroll anchoring in browsers does. Call `hold` after a change of the page and before it is
 * painted, and after a scroll; `capture` to switch to another anchor.
 */
export function createScrollAnchoring(page: AnchoredPage) {
  let anchor: ScrollAnchor | undefined;
  let top = 0;
  let lastScrollTop = page.scrollTop();
  let lastWidth = page.width();

  function capture(): void {
    const found = page.find();
    const foundTop = found?.top();
    anchor = foundTop === undefined ? undefined : found;
    top = foundTop ?? 0;
    lastScrollTop = page.scrollTop();
  }

  /** Returns by how many pixels the user has scrolled. `isRestored` undoes a scroll by the browser. */
  function hold({ isRestored = false } = {}): number {
    // When a device is rotated, the browser scrolls, not the user: Chromium jumps to the start of a page with a sticky header.
    const isRotated = page.width() !== lastWidth;
    lastWidth = page.width();
    const scrolledBy = isRotated || isRestored ? 0 : page.scrollTop() - lastScrollTop;
    // A jump by more than a window, or to a new focus, is not corrected, because that would undo an action of the user.
    const isJump = scrolledBy !== 0 && (page.isFocusNew() || Math.abs(scrolledBy) > page.height());
    if (isJump || page.isToStart()) {
      capture();
      return scrolledBy;
    }
    // The anchor moves with the user's scroll. A new anchor could be a different line, because the page may have changed since
    // the last paint.
    top -= scrolledBy;
    const now = anchor?.top();
    if (now === undefined) {
      capture();
      return scrolledBy;
    }
    if (page.isScrollFragile()) {
      if (scrolledBy !== 0) {
        const missing = now - top;
        capture();
        top -= missing;
      }
      return scrolledBy;
    }
    if (Math.abs(now - top) >= minDriftPixels) {
      page.scrollTo(page.scrollTop() + now - top);
      const drift = (anchor?.top() ?? top) - top;
      // The page is too short to scroll that far. Without this, a later correction would move the line a second time.
      if (Math.abs(drift) > minDriftPixels) top += drift;
    }
    lastScrollTop = page.scrollTop();
    // Scroll events fire for our own corrections too: capturing then would let fractions of pixels add up.
    if (scrolledBy !== 0) capture();
    return scrolledBy;
  }

  return { capture, hold };
}
