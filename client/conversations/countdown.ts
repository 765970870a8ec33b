import type { Clock } from '../chat/clock.ts';

export type Countdown = ReturnType<typeof createCountdown>;

/** Calls `onEnd` when so much time has passed, which may be without end. It stands still until it runs, and can be paused. */
export function createCountdown(clock: Clock, milliseconds: number, onEnd: () => void) {
  let remainingMilliseconds = milliseconds;
  let runsSince: number | null = null;
  let callOff = () => {};

  return {
    run(): void {
      if (runsSince !== null) return;
      runsSince = clock.now();
      // A browser's timer without end would fire at once.
      if (Number.isFinite(remainingMilliseconds)) callOff = clock.after(remainingMilliseconds, onEnd);
    },

    pause(): void {
      if (runsSince === null) return;
      callOff();
      remainingMilliseconds -= clock.now() - runsSince;
      runsSince = null;
    },
  };
}
