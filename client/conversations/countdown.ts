import type { Clock } from '../chat/clock.ts';

export type Countdown = ReturnType<typeof createCountdown>;

/** Calls `onEnd` when so much time has passed. It stands still until it runs, and can be paused. */
export function createCountdown(clock: Clock, milliseconds: number, onEnd: () => void) {
  let remainingMilliseconds = milliseconds;
  let runsSince: number | null = null;
  let callOff = () => {};

  return {
    run(): void {
      if (runsSince !== null) return;
      runsSince = clock.now();
      callOff = clock.after(remainingMilliseconds, onEnd);
    },

    pause(): void {
      if (runsSince === null) return;
      callOff();
      remainingMilliseconds -= clock.now() - runsSince;
      runsSince = null;
    },
  };
}
