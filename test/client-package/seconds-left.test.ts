import { expect } from 'chai';
import { describe, it } from 'mocha';
import { secondsLeft } from '../../client-package/seconds-left.ts';
import { createFakeClock } from '../../client-package/testing/fake-clock.ts';

describe('secondsLeft', () => {
  it('rounds up, and returns 0 for null and once the time has passed', async () => {
    const clock = createFakeClock();
    const time = clock.steadyNow() + 1500;
    const counted = [secondsLeft(time, clock)];
    for (let step = 0; step < 3; step += 1) {
      await clock.advance(500);
      counted.push(secondsLeft(time, clock));
    }
    await clock.advance(5000);
    expect([...counted, secondsLeft(time, clock), secondsLeft(null, clock)]).to.deep.equal([2, 1, 1, 0, 0, 0]);
  });
});
