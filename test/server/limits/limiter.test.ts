import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { pino } from 'pino';
import { createLimiter, type Limiter } from '../../../server/limits/limiter.ts';
import { admitted, attempts } from './attempts.ts';
import { createFakeClock } from './fake-clock.ts';

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

  it('says without taking anything whether the limit is reached', async () => {
    for (let look = 0; look < 20; look += 1) await limiter.check('a');
    expect(await attempts(limiter, 'a', 15)).to.deep.equal(admitted(15));
    const refusal = await limiter.check('a').catch((error: unknown) => error);
    expect(refusal).to.include({ code: 'RATE_LIMITED', retryAfterSeconds: 3600 });
  });

  it('counts each key by itself, also keys that only differ far behind', async () => {
    const long = 'x'.repeat(10_000);
    for (const key of ['a', 'b', '', '__proto__', `${long}a`, `${long}b`]) {
      expect(await attempts(limiter, key, 16), key).to.deep.equal([...admitted(15), 3600]);
    }
  });
});
