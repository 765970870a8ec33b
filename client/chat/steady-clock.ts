import type { Clock } from './clock.ts';

/** What a steady clock needs of a worker that runs `steady-timer.ts`. */
export type TimerWorker = {
  postMessage(message: { id: number; milliseconds: number }): void;
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void;
};

/**
 * A clock that is also on time in a hidden tab. Browsers let the timers of a hidden page go off once a second, later once
 * a minute. They do not slow a worker's timers. The clock sets both, and the first to go off counts. A worker that does not
 * start costs only precision. The first timer starts the worker.
 */
export function createSteadyClock(clock: Clock, startWorker: () => TimerWorker): Clock {
  const waiting = new Map<number, () => void>();
  let worker: TimerWorker | undefined;
  let count = 0;

  function start(): TimerWorker {
    const started = startWorker();
    started.addEventListener('message', ({ data }) => {
      if (typeof data === 'number') waiting.get(data)?.();
    });
    return started;
  }

  return {
    now: clock.now,

    after(milliseconds, action) {
      worker ??= start();
      const id = count++;
      const callOff = () => {
        callOffOnPage();
        waiting.delete(id);
      };
      const goOff = () => {
        callOff();
        action();
      };
      const callOffOnPage = clock.after(milliseconds, goOff);
      waiting.set(id, goOff);
      worker.postMessage({ id, milliseconds });
      return callOff;
    },
  };
}
