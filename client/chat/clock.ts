/** What the chat needs of time; tests drive a fake one. */
export type Clock = {
  /** Milliseconds since the epoch, by the wall clock. */
  now(): number;
  /**
   * Runs `action` once after `milliseconds`; the returned function cancels it. If `isAwaited` is false, the timer does not keep a
   * process running.
   */
  after(milliseconds: number, action: () => void, isAwaited?: boolean): () => void;
};

export const systemClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, action, isAwaited = true) {
    const timer = setTimeout(action, milliseconds);
    // In a browser it is a number, which holds nothing.
    if (!isAwaited && typeof timer === 'object') timer.unref();
    return () => clearTimeout(timer);
  },
};

/** The same clock; its timers do not keep a process running. */
export function unawaited(clock: Clock): Clock {
  return { now: () => clock.now(), after: (milliseconds, action) => clock.after(milliseconds, action, false) };
}

/** Runs `action` once, `milliseconds` after the first of any number of calls of `schedule`. */
export function createPaced(clock: Clock, milliseconds: number, action: () => void) {
  let cancelTimer: (() => void) | undefined;

  return {
    schedule(): void {
      cancelTimer ??= clock.after(milliseconds, () => {
        cancelTimer = undefined;
        action();
      });
    },

    cancel(): void {
      cancelTimer?.();
      cancelTimer = undefined;
    },
  };
}

// Timers stand still while a computer sleeps; looking at the clock every second ends an overdue wait soon after it wakes.
const maxSleepMilliseconds = 1000;

/**
 * Resolves once the clock has reached `deadline` (milliseconds since the epoch), or as soon as `signal` aborts. Browsers delay the
 * timers of a hidden page, at first by up to a second, after some minutes by up to a minute: an overdue wait ends when the page
 * becomes visible.
 */
export function waitUntil(deadline: number, clock: Clock, signal?: AbortSignal): Promise<void> {
  // Undefined outside a page.
  const page = globalThis.document;
  return new Promise((resolve) => {
    let cancelTimer = () => {};
    const finish = () => {
      cancelTimer();
      signal?.removeEventListener('abort', finish);
      page?.removeEventListener('visibilitychange', look);
      resolve();
    };
    const look = () => {
      cancelTimer();
      const remaining = deadline - clock.now();
      if (remaining <= 0) finish();
      else cancelTimer = clock.after(Math.min(remaining, maxSleepMilliseconds), look);
    };
    if (signal?.aborted) return resolve();
    signal?.addEventListener('abort', finish);
    page?.addEventListener('visibilitychange', look);
    look();
  });
}
