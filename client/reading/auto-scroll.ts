/** A scroll this soon after a wheel, touch or key event is the user's, not the page's. */
const userScrollMilliseconds = 1500;

/** Keys that scroll, except in a field, or move the focus. */
const readingKeys = ['ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End', ' ', 'Tab'];

const fieldSelector = 'input, textarea, select, [contenteditable]';

export function isReadingKey({ key, target }: KeyboardEvent): boolean {
  return readingKeys.includes(key) && (key === 'Tab' || !(target instanceof Element && target.matches(fieldSelector)));
}

/**
 * Once the user has scrolled or jumped to the end of `log`, the page scrolls with it until they scroll up, press or select text
 * in `log`, or press a reading key other than End.
 */
export function createAutoScroll(log: HTMLElement) {
  let isOn = false;
  let lastActionAt = Number.NEGATIVE_INFINITY;
  const listeners = new AbortController();
  const options = { passive: true, signal: listeners.signal };

  function noteUserAction(): void {
    lastActionAt = performance.now();
  }

  function stop(): void {
    isOn = false;
  }

  function start(): void {
    isOn = true;
  }

  window.addEventListener(
    'wheel',
    ({ deltaY }) => {
      noteUserAction();
      if (deltaY < 0) stop();
    },
    options,
  );
  window.addEventListener('touchmove', noteUserAction, options);
  window.addEventListener(
    'pointerdown',
    ({ target }) => {
      if (target instanceof Node && log.contains(target)) {
        stop();
        // A press ends a wheel gesture, so the next scroll is not part of it.
        lastActionAt = Number.NEGATIVE_INFINITY;
      }
      // A press on the scrollbar has the root element as its target.
      else if (target === document.documentElement) noteUserAction();
    },
    options,
  );
  window.addEventListener(
    'keydown',
    (event) => {
      if (!isReadingKey(event)) return;
      noteUserAction();
      // Starts before the end is reached, because content that comes into view is laid out now and can move the end.
      if (event.key === 'End') start();
      else stop();
    },
    options,
  );
  document.addEventListener(
    'selectionchange',
    () => {
      const { isCollapsed = true, anchorNode = null } = document.getSelection() ?? {};
      if (!isCollapsed && log.contains(anchorNode)) stop();
    },
    options,
  );

  return {
    isOn: () => isOn,
    start,
    stop,

    /** Call it when the page was scrolled by `pixels`, and not by auto-scroll. */
    onScroll(pixels: number, isAtEnd: boolean): void {
      if (pixels < 0) stop();
      else if (pixels > 0 && isAtEnd && performance.now() - lastActionAt < userScrollMilliseconds) start();
    },

    dispose: () => listeners.abort(),
  };
}
