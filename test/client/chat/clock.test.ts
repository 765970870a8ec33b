import { expect } from 'chai';
import { describe, it } from 'mocha';
import { waitUntil } from '../../../client/chat/clock.ts';
import { createFakeClock } from '../../../client-package/testing/fake-clock.ts';

async function isOver(wait: Promise<void>): Promise<boolean> {
  return Promise.race([wait.then(() => true), Promise.resolve().then(() => Promise.resolve(false))]);
}

describe('waitUntil', () => {
  it('lasts until the deadline and not a millisecond less', async () => {
    const clock = createFakeClock();
    const wait = waitUntil(clock.now() + 4500, clock);
    await clock.advance(4499);
    expect(await isOver(wait)).to.equal(false);
    await clock.advance(1);
    expect(await isOver(wait)).to.equal(true);
  });

  it('ends within a second of waking where the timers stood still past the deadline', async () => {
    const clock = createFakeClock();
    let sleptMilliseconds = 0;
    const sleepingClock = { ...clock, now: () => clock.now() + sleptMilliseconds };
    const wait = waitUntil(clock.now() + 60_000, sleepingClock);
    sleptMilliseconds = 3_600_000;
    await clock.advance(1000);
    expect(await isOver(wait)).to.equal(true);
  });
});
