import { steadyNow } from '../steady-now.ts';

export type Clock = {
  /** The wall clock in milliseconds since the epoch, for times that are stored and shown. */
  now(): number;
  /** Milliseconds since the epoch for measuring waits. It never goes back, even if the device's clock is set back. */
  steadyNow(): number;
  /** Runs `action` once; the returned function cancels it. If `isAwaited` is false, the timer does not keep a process running. */
  after(milliseconds: number, action: () => void, isAwaited?: boolean): () => void;
};

export const systemClock: Clock = {
  now: () => Date.now(),
  steadyNow,
  after(milliseconds, action, isAwaited = true) {
    const timer = setTimeout(action, milliseconds);
    // In a browser the timer is a number without `unref`.
    if (!isAwaited && typeof timer === 'object') timer.unref();
    return () => clearTimeout(timer);
  },
};

type Timers = Pick<Clock, 'steadyNow' | 'after'>;

export function withUnrefTimers(clock: Timers): Timers {
  return {
    steadyNow: () => clock.steadyNow(),
    after: (milliseconds, action) => clock.after(milliseconds, action, false),
  };
}

/** Runs `action` at most once per `milliseconds`: `schedule` has no effect while a run is already scheduled. */
export function createThrottle(clock: Timers, milliseconds: number, action: () => void) {
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

// Timers stop while a computer sleeps. Checking the clock every second ends an overdue wait soon after it wakes.
const clockCheckMilliseconds = 1000;

/**
 * Resolves at `deadline` (by `steadyNow`), or as soon as one of `signals` aborts. Browsers delay the timers of a hidden page by up to
 * a minute, so an overdue wait also ends when the page becomes visible.
 */
export function waitUntil(
  deadline: number,
  clock: Timers,
  ...signals: readonly (AbortSignal | undefined)[]
): Promise<void> {
  const page = globalThis.document;
  return new Promise((resolve) => {
    let cancelTimer = () => {};
    const finish = () => {
      cancelTimer();
      for (const signal of signals) signal?.removeEventListener('abort', finish);
      page?.removeEventListener('visibilitychange', check);
      resolve();
    };
    const check = () => {
      cancelTimer();
      const remaining = deadline - clock.steadyNow();
      if (remaining <= 0) finish();
      else cancelTimer = clock.after(Math.min(remaining, clockCheckMilliseconds), check);
    };
    if (signals.some((signal) => signal?.aborted)) return resolve();
    for (const signal of signals) signal?.addEventListener('abort', finish);
    page?.addEventListener('visibilitychange', check);
    check();
  });
}
