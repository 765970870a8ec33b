import { isReadingKey } from './auto-scroll.ts';

/** A scroll has ended after this many frames without movement: WebKit has no `scrollend` event before Safari 26.2. */
const framesUntilEnded = 8;

/** Tracks a scroll by the user, which browsers animate, from the key, wheel, touch or scrollbar event until the page stands still. */
export function createUserScroll(onEnd: () => void) {
  let frame = 0;
  let framesWithoutMovement = 0;
  let lastTop = 0;
  let hasMoved = false;
  let isToStart = false;
  const listeners = new AbortController();
  const options = { passive: true, signal: listeners.signal };

  function begin(): void {
    isToStart = false;
    hasMoved = false;
    framesWithoutMovement = 0;
    lastTop = window.scrollY;
    if (frame === 0) frame = requestAnimationFrame(followFrame);
  }

  function followFrame(): void {
    const { scrollY } = window;
    framesWithoutMovement = scrollY === lastTop ? framesWithoutMovement + 1 : 0;
    if (scrollY !== lastTop) hasMoved = true;
    lastTop = scrollY;
    if (framesWithoutMovement < framesUntilEnded) {
      frame = requestAnimationFrame(followFrame);
      return;
    }
    frame = 0;
    // Something other than the user's next action has ended the animation.
    if (isToStart && hasMoved && scrollY > 0) window.scrollTo({ top: 0, behavior: 'instant' });
    isToStart = false;
    onEnd();
  }

  window.addEventListener('wheel', begin, options);
  window.addEventListener('touchmove', begin, options);
  window.addEventListener(
    'pointerdown',
    ({ target }) => {
      isToStart = false;
      // A press on the scrollbar has the root element as its target.
      if (target === document.documentElement) begin();
    },
    options,
  );
  window.addEventListener(
    'keydown',
    (event) => {
      if (event.defaultPrevented || !isReadingKey(event)) return;
      begin();
      isToStart = event.key === 'Home' || (event.key === 'ArrowUp' && event.metaKey);
    },
    options,
  );

  return {
    isRunning: () => frame !== 0,

    /** Whether the user is scrolling to the start of the page, which stays at 0 while the content below it changes. */
    isToStart: () => isToStart,

    stop(): void {
      listeners.abort();
      cancelAnimationFrame(frame);
      frame = 0;
    },
  };
}
