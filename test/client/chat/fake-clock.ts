import FakeTimers from '@sinonjs/fake-timers';
import type { Clock } from '../../../client/chat/clock.ts';

export type FakeClock = Clock & { advance(milliseconds: number): Promise<unknown> };

/** A clock that stands still until it is advanced. */
export function createFakeClock(): FakeClock {
  const timers = FakeTimers.createClock(Date.UTC(2030, 0, 1));
  return {
    now: () => timers.now,
    after(milliseconds, action) {
      const timer = timers.setTimeout(action, milliseconds);
      return () => timers.clearTimeout(timer);
    },
    advance: (milliseconds) => timers.tickAsync(milliseconds),
  };
}
