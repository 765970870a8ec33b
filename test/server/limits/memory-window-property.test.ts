import { assert, asyncProperty, integer } from 'fast-check';
import { describe, it } from 'mocha';
import { pino } from 'pino';
import { createLimiter } from '../../../server/limits/limiter.ts';
import { type Arrival, anyArrivals, expectExactWindow } from './any-arrivals.ts';
import { attempt } from './attempts.ts';
import { createFakeClock } from './fake-clock.ts';

const windowSeconds = 10;

describe('createLimiter, without Redis, on any arrivals', () => {
  it('admits what fits into every trailing window, nothing else, and says exactly how long to wait', async () => {
    await assert(
      asyncProperty(
        integer({ min: 1, max: 5 }),
        anyArrivals({ windowSeconds, parts: 8, most: 80 }),
        async (limit, requests) => {
          const clock = createFakeClock();
          const limiter = createLimiter({
            name: 'test',
            requests: limit,
            windowSeconds,
            redis: undefined,
            clock: clock.read,
            logger: pino({ level: 'silent' }),
          });
          const arrivals: Arrival[] = [];
          for (const { waitSeconds, client } of requests) {
            clock.advance(waitSeconds * 1000);
            const outcome = await attempt(limiter, String(client));
            arrivals.push({ at: clock.read() / 1000, client, outcome });
          }
          expectExactWindow(arrivals, { limit, windowSeconds });
        },
      ),
      { numRuns: 500 },
    );
  }).timeout(60_000);
});
