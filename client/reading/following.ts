/** When somebody is taken along with a reply as it grows: from its end on, from its beginning on, or never. */
export type Follow = 'end' | 'always' | 'never';

/** A scroll that comes so soon after a wheel, a finger or a key is the person's own, and not the page's. */
const scrollsSoonMilliseconds = 1500;

/** The keys by which one reads, outside of a field. */
const readingKeys = ['ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End', ' ', 'Tab'];

const fields = 'input, textarea, select, [contenteditable]';

/**
 * Whether the person is taken along with what comes at the end of `log`. They are from when they go to the end themselves, until
 * they scroll up, select something, press on the text or use a key of reading.
 */
export function createFollowing(log: HTMLElement, setting: () => Follow) {
  let isOn = false;
  let actedAt = Number.NEGATIVE_INFINITY;
  const ended = new AbortController();
  const listening = { passive: true, signal: ended.signal };

  function act(): void {
    actedAt = performance.now();
  }

  function stop(): void {
    isOn = false;
  }

  function start(): void {
    isOn = setting() !== 'never';
  }

  window.addEventListener(
    'wheel',
    ({ deltaY }) => {
      act();
      if (deltaY < 0) stop();
    },
    listening,
  );
  window.addEventListener('touchmove', act, listening);
  window.addEventListener(
    'pointerdown',
    ({ target }) => {
      if (target instanceof Node && log.contains(target)) {
        stop();
        // The page's next scroll is not the one of a wheel that turned before.
        actedAt = Number.NEGATIVE_INFINITY;
      }
      // The bar at the edge of the window belongs to the page itself.
      else if (target === document.documentElement) act();
    },
    listening,
  );
  window.addEventListener(
    'keydown',
    ({ key, target }) => {
      if (!readingKeys.includes(key) || (key !== 'Tab' && target instanceof Element && target.matches(fields))) return;
      act();
      // What comes into view there is laid out for the first time: the end may move on.
      if (key === 'End') start();
      else stop();
    },
    listening,
  );
  document.addEventListener(
    'selectionchange',
    () => {
      const { isCollapsed = true, anchorNode = null } = document.getSelection() ?? {};
      if (!isCollapsed && log.contains(anchorNode)) stop();
    },
    listening,
  );

  return {
    isOn: () => isOn,
    start,

    /** A question has just been asked: its reply is followed from the beginning where that is set. */
    begin(): void {
      isOn = setting() === 'always';
    },

    /** The page has been scrolled by `pixels`, and not by itself. */
    scrolled(pixels: number, isAtEnd: boolean): void {
      if (pixels < 0) stop();
      else if (pixels > 0 && isAtEnd && performance.now() - actedAt < scrollsSoonMilliseconds) start();
    },

    end: () => ended.abort(),
  };
}
