import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { array, assert, asyncProperty, integer, record } from 'fast-check';
import type { Redis } from 'ioredis';
import { after, before, describe, it } from 'mocha';
import { pino } from 'pino';
import { AppError } from '../../../server/app-error.ts';
import { createLimiter, type Limiter } from '../../../server/limits/limiter.ts';
import { createRedisFallback } from '../../../server/limits/redis-fallback.ts';
import { connectTestRedis } from '../../support/test-redis.ts';
import { createFakeClock } from './fake-clock.ts';

const silent = pino({ level: 'silent' });
const hourSeconds = 3600;
const minuteSeconds = 60;
const windowMinutes = 10;

/** One limit on one or two instances. `pass` ages the counted requests. */
type Counting = { limiters: Limiter[]; pass(seconds: number): Promise<void> | void };
type Shape = { requests: number; windowSeconds?: number; name?: string };

describe('createLimiter', () => {
  let connections: Redis[];

  before(async () => {
    connections = [await connectTestRedis(), await connectTestRedis()];
  });
  after(() => {
    for (const redis of connections) redis.disconnect();
  });

  function inMemory({ requests, windowSeconds = hourSeconds }: Shape): Counting {
    const clock = createFakeClock();
    return {
      limiters: [createLimiter({ name: 'test', requests, windowSeconds, fallback: undefined, clock: clock.read })],
      pass: (seconds) => clock.advance(seconds * 1000),
    };
  }

  function onRedis({ requests, windowSeconds = hourSeconds, name = randomUUID() }: Shape): Counting {
    return {
      limiters: connections.map((redis) => {
        const fallback = createRedisFallback(redis, silent);
        return createLimiter({ name, requests, windowSeconds, fallback, clock: () => 0 });
      }),
      // Redis' clock cannot be set, so this shifts the recorded times. A negative value simulates a clock that was set
      // back.
      async pass(seconds) {
        const [redis] = connections as [Redis];
        for (const key of await redis.keys(keyOf(name, '*'))) {
          for (const member of await redis.zrange(key, '0', '-1')) {
            await redis.zincrby(key, String(-seconds * 1e6), member);
          }
        }
      },
    };
  }

  const keyOf = (name: string, client: string) => `advisory-chat:limit:${name}:${client}`;

  for (const [where, count, runs] of [
    ['in memory', inMemory, 500],
    ['on Redis, across two instances', onRedis, 40],
  ] as const) {
    describe(where, () => {
      it('admits exactly `requests` per trailing window and returns the seconds to wait', async () => {
        await assert(
          asyncProperty(
            integer({ min: 1, max: 5 }),
            array(
              record({
                // Produces bursts, and requests exactly one window apart. The waits are whole minutes, because Redis'
                // clock keeps running.
                waitMinutes: integer({ min: -3, max: windowMinutes + 1 }).map((wait) => Math.max(wait, 0)),
                client: integer({ min: 0, max: 2 }),
              }),
              { maxLength: 30, size: 'max' },
            ),
            async (requests, sent) => {
              const windowSeconds = windowMinutes * minuteSeconds;
              const { limiters, pass } = count({ requests, windowSeconds });
              const startedAt = performance.now();
              const arrivals: Arrival[] = [];
              let at = 0;
              for (const [index, { waitMinutes, client }] of sent.entries()) {
                if (waitMinutes > 0) await pass(waitMinutes * minuteSeconds);
                at += waitMinutes * minuteSeconds;
                const limiter = limiters[index % limiters.length] as (typeof limiters)[number];
                arrivals.push({ at, client, outcome: await attempt(limiter, String(client)) });
              }
              const lateSeconds = where === 'in memory' ? 0 : (performance.now() - startedAt) / 1000;
              expectExactWindow(arrivals, { limit: requests, windowSeconds, lateSeconds });
            },
          ),
          { seed: 20_261_122, numRuns: runs },
        );
      });

      it('checks the limit without counting a request', async () => {
        const [limiter] = count({ requests: 15 }).limiters as [Limiter];
        for (let checks = 0; checks < 20; checks += 1) await limiter.check('a');
        expect(await attempts(limiter, 'a', 15)).to.deep.equal(admitted(15));
        const refusal = await limiter.check('a').catch((error: unknown) => error);
        expect(refusal).to.include({ code: 'RATE_LIMITED', retryAfterSeconds: hourSeconds });
      });

      it('counts keys separately, even long ones that differ only in the last character', async () => {
        const [limiter] = count({ requests: 2 }).limiters as [Limiter];
        const long = 'x'.repeat(10_000);
        for (const key of ['a', 'b', '', '__proto__', `${long}a`, `${long}b`]) {
          expect(await attempts(limiter, key, 3), key).to.deep.equal([...admitted(2), hourSeconds]);
        }
      });
    });
  }

  describe('on Redis', () => {
    const limiterOf = (shape: Shape) => onRedis(shape).limiters[0] as Limiter;

    it('expires the data of a client one window after the last counted request, and stores a long key as its hash', async () => {
      const name = randomUUID();
      const limiter = limiterOf({ name, requests: 15 });
      for (let requests = 0; requests < 2; requests += 1) {
        await attempt(limiter, 'a');
        const timeToLive = await connections[0]?.pttl(keyOf(name, 'a'));
        expect(timeToLive).to.be.within((hourSeconds - 60) * 1000, hourSeconds * 1000);
        await connections[0]?.pexpire(keyOf(name, 'a'), 60_000);
      }
      await attempt(limiter, 'x'.repeat(10_000));
      const stored = (await connections[0]?.keys(keyOf(name, '*'))) ?? [];
      expect(stored.map((key) => key.length - keyOf(name, '').length)).to.have.members([1, 43]);
    });

    it('tells a client above a lowered limit to wait until its count is below the lowered limit', async () => {
      const name = randomUUID();
      const { limiters, pass } = onRedis({ name, requests: 3 });
      for (let requests = 0; requests < 3; requests += 1) {
        await pass(10 * minuteSeconds);
        await attempt(limiters[0] as Limiter, 'a');
      }
      expect(await attempt(limiterOf({ name, requests: 2 }), 'a')).to.be.within(49 * minuteSeconds, 50 * minuteSeconds);
    });

    it('locks a client out for at most one window after the clock is set back', async () => {
      const { limiters, pass } = onRedis({ requests: 2 });
      const [limiter] = limiters as [Limiter];
      await attempts(limiter, 'a', 2);
      await pass(-5 * hourSeconds);
      expect(await attempt(limiter, 'a')).to.equal(hourSeconds);
      await pass(hourSeconds);
      expect(await attempts(limiter, 'a', 3)).to.deep.equal([...admitted(2), hourSeconds]);
    });

    it('counts the requests of a key of the wrong type in each process, and those of all other keys in Redis', async () => {
      const name = randomUUID();
      const [limiter, other] = onRedis({ name, requests: 2 }).limiters as [Limiter, Limiter];
      await connections[0]?.set(keyOf(name, 'a'), 'no sorted set');
      expect(await attempts(limiter, 'a', 3)).to.deep.equal([...admitted(2), hourSeconds]);
      expect(limiter.isShared).to.equal(true);
      expect(await attempts(limiter, 'b', 2)).to.deep.equal(admitted(2));
      expect(await attempt(other, 'b')).to.be.a('number');
    });
  });
});

/** Returns `'admitted'`, or the seconds after which a refused request may be sent again. */
async function attempt(limiter: Limiter, key: string): Promise<'admitted' | number> {
  try {
    await limiter.take(key);
    return 'admitted';
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'RATE_LIMITED' || error.retryAfterSeconds === undefined)
      throw error;
    return error.retryAfterSeconds;
  }
}

async function attempts(limiter: Limiter, key: string, count: number) {
  const outcomes = [];
  for (let sent = 0; sent < count; sent += 1) outcomes.push(await attempt(limiter, key));
  return outcomes;
}

const admitted = (count: number) => Array.from({ length: count }, () => 'admitted');

/** `at` is in seconds. `outcome` is a result of `attempt`. */
type Arrival = { at: number; client: number; outcome: 'admitted' | number };

/**
 * Compares each outcome with a plain count: a client has at most `limit` admitted requests in any trailing window, is
 * never refused below that, and is given the smallest whole number of seconds after which a request is admitted.
 * `lateSeconds` is the maximum by which the clock can be ahead of `at` when the wait is computed.
 */
function expectExactWindow(
  arrivals: readonly Arrival[],
  { limit, windowSeconds, lateSeconds }: { limit: number; windowSeconds: number; lateSeconds: number },
): void {
  for (const [index, { at, client, outcome }] of arrivals.entries()) {
    const counted = arrivals
      .slice(0, index)
      .filter(
        (earlier) => earlier.client === client && earlier.outcome === 'admitted' && at - earlier.at < windowSeconds,
      );
    const message = `request ${index} at ${at} s, with ${counted.length} of ${limit} counted`;
    if (counted.length < limit) {
      expect(outcome, message).to.equal('admitted');
      continue;
    }
    expect(counted.length, message).to.equal(limit);
    const wait = (counted[0]?.at ?? 0) + windowSeconds - at;
    expect(outcome, message).to.be.within(wait - Math.floor(lateSeconds), wait);
  }
}
