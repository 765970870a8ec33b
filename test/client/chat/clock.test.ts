import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { type Clock, waitUntil } from '../../../client/chat/clock.ts';
import { createFakeClock } from '../../../client-package/testing/fake-clock.ts';

/** Returns `clock` after an hour of sleep, during which time has passed but no timer has fired. */
function afterSleep(clock: Clock): Clock {
  return { ...clock, steadyNow: () => clock.steadyNow() + 3_600_000 };
}

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
  });

  for (const index of [0, 1]) {
    it(`resolves as soon as the ${index === 0 ? 'first' : 'second'} of two signals aborts, and leaves no listener on either`, async () => {
      const clock = createFakeClock();
      const controllers = [new AbortController(), new AbortController()];
      const signals = controllers.map(({ signal }) => signal);
      const wait = waitUntil(clock.steadyNow() + 60_000, clock, ...signals);
      controllers[index]?.abort();
      await wait;
      for (const signal of signals) expect(getEventListeners(signal, 'abort')).to.have.length(0);
    });
  }
});
