import type { Clock } from './clock.ts';

// Timers stand still while a computer sleeps; looking at the clock every second ends an overdue wait soon after it wakes.
const longestSleepMilliseconds = 1000;

/** Resolves once the clock has reached `deadline` (milliseconds since the epoch), or as soon as `signal` aborts. */
export function waitUntil(deadline: number, clock: Clock, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    let callOff = () => {};
    const finish = () => {
      callOff();
      signal?.removeEventListener('abort', finish);
      resolve();
    };
    const look = () => {
      const remaining = deadline - clock.now();
      if (remaining <= 0) finish();
      else callOff = clock.after(Math.min(remaining, longestSleepMilliseconds), look);
    };
    if (signal?.aborted) return resolve();
    signal?.addEventListener('abort', finish);
    look();
  });
}
