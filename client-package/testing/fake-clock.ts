import type { Clock } from '../../client/chat/clock.ts';

export type FakeClock = Clock & {
  /**
   * Lets so much time pass: runs what falls due, in order, and gives what it leads to the chance to happen in between.
   * Resolves when all of it has passed.
   */
  advance(milliseconds: number): Promise<void>;
};

/** A clock that stands still until it is advanced. It begins with the year 2030. */
export function createFakeClock(): FakeClock {
  const timers = new Set<{ due: number; action: () => void }>();
  let time = Date.UTC(2030, 0, 1);

  /** The first of those that fall due by `end`; of two at the same time the one that was set first. */
  function firstDue(end: number) {
    let first: { due: number; action: () => void } | undefined;
    for (const timer of timers) if (timer.due <= end && (first === undefined || timer.due < first.due)) first = timer;
    return first;
  }

  return {
    now: () => time,

    after(milliseconds, action) {
      const timer = { due: time + milliseconds, action };
      timers.add(timer);
      return () => void timers.delete(timer);
    },

    async advance(milliseconds) {
      const end = time + milliseconds;
      await settled();
      for (let timer = firstDue(end); timer !== undefined; timer = firstDue(end)) {
        timers.delete(timer);
        time = timer.due;
        timer.action();
        await settled();
      }
      time = end;
      await settled();
    },
  };
}

/** Resolves when promises that were settled already have been acted on. */
function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
