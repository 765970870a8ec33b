import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { type Clock, systemClock, waitUntil } from '../../../client/chat/clock.ts';
import { createFakeClock } from '../../../client-package/testing/fake-clock.ts';
import { awaitedTimers } from './awaited-timers.ts';

/** Returns `clock` after an hour of sleep, during which time has passed but no timer has fired. */
const afterSleep = (clock: Clock): Clock => ({ ...clock, steadyNow: () => clock.steadyNow() + 3_600_000 });

describe('systemClock', () => {
  it('keeps a Node process running for a timer until the timer is cancelled, but not for a timer that is not awaited', () => {
    const count = awaitedTimers();
    const cancelAwaited = systemClock.after(60_000, () => {});
    const cancelOther = systemClock.after(60_000, () => {}, false);
    expect(awaitedTimers()).to.equal(count + 1);
    cancelAwaited();
    cancelOther();
    expect(awaitedTimers()).to.equal(count);
  });
});

describe('waitUntil', () => {
  afterEach(() => {
    Reflect.deleteProperty(globalThis, 'document');
  });

  it('resolves within a second after the computer wakes, if the deadline passed during sleep', async () => {
    const clock = createFakeClock();
    let sleeping: Clock = clock;
    const wait = waitUntil(clock.steadyNow() + 60_000, { ...clock, steadyNow: () => sleeping.steadyNow() });
    sleeping = afterSleep(clock);
    await clock.advance(1000);
    await wait;
  });

  it('resolves when the page becomes visible, but only if the deadline has passed', async () => {
    const page = new EventTarget();
    Object.assign(globalThis, { document: page });
    const clock = createFakeClock();
    let shown: Clock = clock;
    let hasEnded = false;
    const wait = waitUntil(clock.steadyNow() + 60_000, { ...clock, steadyNow: () => shown.steadyNow() }).then(() => {
      hasEnded = true;
    });

    page.dispatchEvent(new Event('visibilitychange'));
    await clock.advance(0);
    expect(hasEnded).to.equal(false);

    shown = afterSleep(clock);
    page.dispatchEvent(new Event('visibilitychange'));
    await wait;
    expect(getEventListeners(page, 'visibilitychange')).to.have.length(0);
  });

  for (const index of [0, 1]) {
    it(`resolves as soon as the ${index === 0 ? 'first' : 'second'} of two signals aborts, and leaves no listener and no timer`, async () => {
      const controllers = [new AbortController(), new AbortController()];
      const signals = controllers.map(({ signal }) => signal);
      const count = awaitedTimers();
      const wait = waitUntil(systemClock.steadyNow() + 60_000, systemClock, ...signals, undefined);
      expect(awaitedTimers()).to.equal(count + 1);
      controllers[index]?.abort();
      expect(awaitedTimers()).to.equal(count);
      await wait;
      for (const signal of signals) expect(getEventListeners(signal, 'abort')).to.have.length(0);
    });
  }

  it('resolves at once if a signal is already aborted', async () => {
    const clock = createFakeClock();
    await waitUntil(clock.steadyNow() + 60_000, clock, undefined, AbortSignal.abort());
  });
});
