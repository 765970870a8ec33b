import { randomUUID } from 'node:crypto';
import { assert, asyncProperty, integer } from 'fast-check';
import type { Redis } from 'ioredis';
import { after, before, describe, it } from 'mocha';
import { pino } from 'pino';
import { createLimiter } from '../../../server/limits/limiter.ts';
import { connectTestRedis } from '../../support/test-redis.ts';
import { type Arrival, anyArrivals, expectExactWindow } from './any-arrivals.ts';
import { attempt } from './attempts.ts';

const silent = pino({ level: 'silent' });

/** Requests come whole minutes apart, for Redis' clock goes on by itself: no run takes a minute. */
const minuteSeconds = 60;
const windowMinutes = 10;
const windowSeconds = windowMinutes * minuteSeconds;

describe('createLimiter, with Redis, on any arrivals', () => {
  let redis: Redis;
  let another: Redis;

  before(async () => {
    redis = await connectTestRedis();
    another = await connectTestRedis();
  });
  after(() => {
    redis.disconnect();
    another.disconnect();
  });

  /** Lets time pass by moving everything that a limiter has counted into the past. */
  async function pass(name: string, seconds: number) {
    for (const key of await redis.keys(`advisory-chat:limit:${name}:*`)) {
      for (const time of await redis.zrange(key, '0', '-1')) await redis.zincrby(key, String(-seconds * 1e6), time);
    }
  }

  it('admits over two instances what fits into every trailing window, nothing else, and says how long to wait', async () => {
    await assert(
      asyncProperty(
        integer({ min: 1, max: 4 }),
        anyArrivals({ windowSeconds: windowMinutes, most: 30 }),
        async (limit, requests) => {
          const name = randomUUID();
          const limiterOn = (connection: Redis) =>
            createLimiter({
              name,
              requests: limit,
              windowSeconds,
              redis: connection,
              clock: () => performance.now(),
              logger: silent,
            });
          const [here, there] = [limiterOn(redis), limiterOn(another)];

          const beganAt = performance.now();
          const arrivals: Arrival[] = [];
          let at = 0;
          for (const { waitSeconds: waitMinutes, client } of requests) {
            const wait = waitMinutes * minuteSeconds;
            if (wait > 0) await pass(name, wait);
            at += wait;
            const outcome = await attempt(arrivals.length % 2 === 0 ? here : there, String(client));
            arrivals.push({ at, client, outcome });
          }
          const lateSeconds = (performance.now() - beganAt) / 1000;
          expectExactWindow(arrivals, { limit, windowSeconds, lateSeconds });
        },
      ),
      { numRuns: 40 },
    );
  }).timeout(120_000);
});
