import { expect } from 'chai';
import { describe, it } from 'mocha';
import { waitUntil } from '../../../client/chat/clock.ts';
import { createSteadyClock, type TimerWorker } from '../../../client/chat/steady-clock.ts';
import { createFakeClock } from '../../../client-package/testing/fake-clock.ts';

describe('waitUntil', () => {
  it('ends within a second of waking where the timers stood still past the deadline', async () => {
    const clock = createFakeClock();
    let sleptMilliseconds = 0;
    const sleepingClock = { ...clock, now: () => clock.now() + sleptMilliseconds };
    const wait = waitUntil(clock.now() + 60_000, sleepingClock);
    sleptMilliseconds = 3_600_000;
    await clock.advance(1000);
    await wait;
  });
});

/** A worker whose timers go by `clock`. */
function createFakeWorker(clock: ReturnType<typeof createFakeClock>): TimerWorker {
  const listeners: ((event: { data: unknown }) => void)[] = [];
  return {
    addEventListener: (_type, listener) => void listeners.push(listener),
    postMessage: ({ id, milliseconds }) => {
      clock.after(milliseconds, () => {
        for (const listener of listeners) listener({ data: id });
      });
    },
  };
}

describe('A steady clock', () => {
  it('is on time where the worker does not start', async () => {
    const clock = createFakeClock();
    const steady = createSteadyClock(clock, () => ({ addEventListener: () => {}, postMessage: () => {} }));
    const wait = waitUntil(clock.now() + 4000, steady);
    await clock.advance(4000);
    await wait;
  });

  it('runs an action once, and not at all when it is called off', async () => {
    const clock = createFakeClock();
    const steady = createSteadyClock(clock, () => createFakeWorker(clock));
    const ran: string[] = [];
    steady.after(1000, () => ran.push('one'));
    const callOff = steady.after(1000, () => ran.push('two'));
    callOff();
    await clock.advance(5000);
    expect(ran).to.deep.equal(['one']);
  });
});
