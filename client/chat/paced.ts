import type { Clock } from './clock.ts';

/** Runs `action` within `milliseconds` of being asked, once, however often it is asked in between. */
export function createPaced(clock: Clock, milliseconds: number, action: () => void) {
  let callOffTimer: (() => void) | undefined;

  return {
    ask(): void {
      callOffTimer ??= clock.after(milliseconds, () => {
        callOffTimer = undefined;
        action();
      });
    },

    /** Forgets that it was asked. */
    callOff(): void {
      callOffTimer?.();
      callOffTimer = undefined;
    },
  };
}
