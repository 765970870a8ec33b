import type { Clock } from '../../client/chat/clock.ts';

export type FakeClock = Clock & {
  /** Advances the clock and runs due timers in order. Pending promises run after each timer, so a timer can set the next one. */
  advance(milliseconds: number): Promise<void>;
};

/** Creates a clock that only moves when `advance` is called. It starts on 2030-01-01. */
export function createFakeClock(): FakeClock {
  const timers = new Set<{ due: number; action: () => void }>();
  let time = Date.UTC(2030, 0, 1);

  /** Returns the next timer due by `end`; of several with the same time, the one that was set first. */
  function nextTimer(end: number) {
    let first: { due: number; action: () => void } | undefined;
    for (const timer of timers) if (timer.due <= end && (first === undefined || timer.due < first.due)) first = timer;
    return first;
  }

  return {
    now: () => time,
    steadyNow: () => time,

    after(milliseconds, action) {
      const timer = { due: time + milliseconds, action };
      timers.add(timer);
      return () => void timers.delete(timer);
    },

    async advance(milliseconds) {
      const end = time + milliseconds;
      await flushPromises();
      for (let timer = nextTimer(end); timer !== undefined; timer = nextTimer(end)) {
        timers.delete(timer);
        time = timer.due;
        timer.action();
        await flushPromises();
      }
      time = end;
      await flushPromises();
    },
  };
}

/** Resolves after the callbacks of all settled promises have run. */
function flushPromises(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
