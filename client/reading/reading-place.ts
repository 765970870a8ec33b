/** Something on the page that can be found again: a line of text, or a control. */
export type Mark = {
  /** Pixels from the top of the window to the mark, or undefined where it is gone. */
  top(): number | undefined;
};

/** The page as far as keeping a place needs it. All lengths are pixels. */
export type ReadingPage = {
  scrollTop(): number;
  scrollTo(top: number): void;
  /** How high the window is. */
  height(): number;
  /** Whether something else has just got the focus: it is the browser then that scrolls, to show it. */
  isFocusNew(): boolean;
  /** What stays where it is while the page changes, or undefined where there is nothing to read in the window. */
  find(): Mark | undefined;
};

/** A browser scrolls by whole pixels, so a drift of up to half a pixel cannot be corrected. */
const minDriftPixels = 0.5;

/**
 * Keeps what is read where it is. `hold` is called after a change of the page and before it is painted, and after somebody
 * has scrolled; `note` where something else is to be kept from now on.
 */
export function createReadingPlace(page: ReadingPage) {
  let mark: Mark | undefined;
  let top = 0;
  let lastScrollTop = page.scrollTop();

  function note(): void {
    const found = page.find();
    const foundTop = found?.top();
    mark = foundTop === undefined ? undefined : found;
    top = foundTop ?? 0;
    lastScrollTop = page.scrollTop();
  }

  /** Returns by how many pixels somebody has scrolled. */
  function hold(): number {
    const by = page.scrollTop() - lastScrollTop;
    // Nothing is in view of what was read. To put it right would take away what somebody went to.
    if (by !== 0 && (page.isFocusNew() || Math.abs(by) > page.height())) {
      note();
      return by;
    }
    // The page may have changed since it was last painted, and its new lines must not be taken for the old ones.
    top -= by;
    const now = mark?.top();
    if (now === undefined) {
      note();
      return by;
    }
    if (Math.abs(now - top) >= minDriftPixels) {
      page.scrollTo(page.scrollTop() + now - top);
      const rest = (mark?.top() ?? top) - top;
      // If the page is too short to scroll that far, a later correction would move the line a second time.
      if (Math.abs(rest) > minDriftPixels) top += rest;
    }
    lastScrollTop = page.scrollTop();
    // The browser tells of our own scrolling too: to keep another line then would let parts of pixels add up.
    if (by !== 0) note();
    return by;
  }

  return { note, hold };
}
