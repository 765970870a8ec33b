import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { pino } from 'pino';
import { AppError } from '../../../server/app-error.ts';
import { createLimiter, type Limiter } from '../../../server/limits/limiter.ts';
import { admitted, admittedAtOnce, attempt, attempts } from './attempts.ts';
import { createFakeClock } from './fake-clock.ts';

const minute = 60_000;

describe('createLimiter, without Redis', () => {
  let clock: ReturnType<typeof createFakeClock>;
  let limiter: Limiter;

  beforeEach(() => {
    clock = createFakeClock();
    limiter = createLimiter({
      name: 'test',
      requests: 15,
      windowSeconds: 3600,
      redis: undefined,
      clock: clock.read,
      logger: pino({ level: 'silent' }),
    });
  });

  it('refuses with the code of the table and the whole seconds to wait', async () => {
    await attempts(limiter, 'a', 15);
    const error = await limiter.take('a').then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).to.be.instanceOf(AppError);
    expect(error).to.include({
      code: 'RATE_LIMITED',
      retryAfterSeconds: 3600,
      message: 'Too many requests. Try again in 3600 seconds.',
    });
  });

  it('says without taking anything whether the limit is reached', async () => {
    for (let look = 0; look < 20; look += 1) await limiter.check('a');
    expect(await attempts(limiter, 'a', 15)).to.deep.equal(admitted(15));
    const refusal = await limiter.check('a').catch((error: unknown) => error);
    expect(refusal).to.include({ code: 'RATE_LIMITED', retryAfterSeconds: 3600 });
  });

  it('forgets nothing at a full hour: after 15 requests in minute 59, each leaves a place only as it ages out', async () => {
    for (let request = 0; request < 15; request += 1) {
      clock.moveTo(59 * minute + request * 1000);
      expect(await attempt(limiter, 'a')).to.equal('admitted');
    }
    clock.moveTo(60 * minute);
    expect(await attempt(limiter, 'a')).to.equal(59 * 60);
    for (let request = 0; request < 15; request += 1) {
      const agesOut = 119 * minute + request * 1000;
      clock.moveTo(agesOut - 1);
      expect(await attempt(limiter, 'a')).to.equal(1);
      clock.moveTo(agesOut);
      expect(await attempts(limiter, 'a', 2)).to.deep.equal(['admitted', request < 14 ? 1 : 3586]);
    }
  });

  it('rounds the wait up, so that who waits it out is admitted', async () => {
    await attempts(limiter, 'a', 15);
    for (const [elapsed, seconds] of [
      [0, 3600],
      [1, 3600],
      [999, 3600],
      [1000, 3599],
      [1000.5, 3599],
      [3_598_999, 2],
      [3_599_000, 1],
      [3_599_999.999, 1],
    ] as const) {
      clock.moveTo(elapsed);
      expect(await attempt(limiter, 'a'), `after ${elapsed} ms`).to.equal(seconds);
    }
    clock.moveTo(3_600_000);
    expect(await attempt(limiter, 'a')).to.equal('admitted');
  });

  it('does not count a refused request', async () => {
    await attempts(limiter, 'a', 15);
    clock.advance(30 * minute);
    await attempts(limiter, 'a', 100);
    clock.advance(30 * minute);
    expect(await attempts(limiter, 'a', 16)).to.deep.equal([...admitted(15), 3600]);
  });

  it('admits exactly the limit of many requests at once', async () => {
    expect(await admittedAtOnce([limiter], 'a', 100)).to.equal(15);
  });

  it('counts each key by itself, also keys that only differ far behind', async () => {
    const long = 'x'.repeat(10_000);
    for (const key of ['a', 'b', '', '__proto__', `${long}a`, `${long}b`]) {
      expect(await attempts(limiter, key, 16), key).to.deep.equal([...admitted(15), 3600]);
    }
  });
});
