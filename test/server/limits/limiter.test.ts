import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { array, assert, asyncProperty, integer, record } from 'fast-check';
import type { Redis } from 'ioredis';
import { after, before, describe, it } from 'mocha';
import { pino } from 'pino';
import { AppError } from '../../../server/app-error.ts';
import { createLimiter, type Limiter } from '../../../server/limits/limiter.ts';
import { createRedisPresence } from '../../../server/limits/redis-presence.ts';
import { connectTestRedis } from '../../support/test-redis.ts';
import { createFakeClock } from './fake-clock.ts';

const silent = pino({ level: 'silent' });
const hourSeconds = 3600;
const minuteSeconds = 60;
const windowMinutes = 10;

/** One limit as one or two instances count it. `pass` lets time go by for what has been counted. */
type Counting = { limiters: ReturnType<typeof createLimiter>[]; pass(seconds: number): Promise<void> | void };
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
      limiters: [createLimiter({ name: 'test', requests, windowSeconds, presence: undefined, clock: clock.read })],
      pass: (seconds) => clock.advance(seconds * 1000),
    };
  }

  function onRedis({ requests, windowSeconds = hourSeconds, name = randomUUID() }: Shape): Counting {
    return {
      limiters: connections.map((redis) => {
        const presence = createRedisPresence(redis, silent);
        return createLimiter({ name, requests, windowSeconds, presence, clock: () => performance.now() });
      }),
      // Redis has a clock of its own. A negative time is a clock that is set back.
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
    ['on Redis, over two instances', onRedis, 40],
  ] as const) {
    describe(where, () => {
      it('admits what fits into every trailing window, nothing else, and says how long to wait', async () => {
        await assert(
          asyncProperty(
            integer({ min: 1, max: 5 }),
            array(
              record({
                // Often many at once, sometimes exactly a window apart. In whole minutes, for Redis' clock goes on by itself.
                waitMinutes: integer({ min: -3, max: windowMinutes + 1 }).map((wait) => Math.max(wait, 0)),
                client: integer({ min: 0, max: 2 }),
              }),
              { maxLength: 30, size: 'max' },
            ),
            async (requests, sent) => {
              const windowSeconds = windowMinutes * minuteSeconds;
              const { limiters, pass } = count({ requests, windowSeconds });
              const beganAt = performance.now();
              const arrivals: Arrival[] = [];
              let at = 0;
              for (const [index, { waitMinutes, client }] of sent.entries()) {
                if (waitMinutes > 0) await pass(waitMinutes * minuteSeconds);
                at += waitMinutes * minuteSeconds;
                const limiter = limiters[index % limiters.length] as (typeof limiters)[number];
                arrivals.push({ at, client, outcome: await attempt(limiter, String(client)) });
              }
              const lateSeconds = where === 'in memory' ? 0 : (performance.now() - beganAt) / 1000;
              expectExactWindow(arrivals, { limit: requests, windowSeconds, lateSeconds });
            },
          ),
          { seed: 20_261_122, numRuns: runs },
        );
      }).timeout(120_000);

      it('says without taking anything whether the limit is reached', async () => {
        const [limiter] = count({ requests: 15 }).limiters as [ReturnType<typeof createLimiter>];
        for (let look = 0; look < 20; look += 1) await limiter.check('a');
        expect(await attempts(limiter, 'a', 15)).to.deep.equal(admitted(15));
        const refusal = await limiter.check('a').catch((error: unknown) => error);
        expect(refusal).to.include({ code: 'RATE_LIMITED', retryAfterSeconds: hourSeconds });
      });

      it('counts each key by itself, also keys that only differ far behind', async () => {
        const [limiter] = count({ requests: 2 }).limiters as [ReturnType<typeof createLimiter>];
        const long = 'x'.repeat(10_000);
        for (const key of ['a', 'b', '', '__proto__', `${long}a`, `${long}b`]) {
          expect(await attempts(limiter, key, 3), key).to.deep.equal([...admitted(2), hourSeconds]);
        }
      });
    });
  }

  describe('on Redis', () => {
    const limiterOf = (shape: Shape) => onRedis(shape).limiters[0] as ReturnType<typeof createLimiter>;

    it('keeps nothing of a client for longer than the window', async () => {
      const name = randomUUID();
      await attempt(limiterOf({ name, requests: 15 }), 'a');
      const left = await connections[0]?.pttl(keyOf(name, 'a'));
      expect(left).to.be.within((hourSeconds - 60) * 1000, hourSeconds * 1000);
    });

    it('locks nobody out for longer than the window when the clock is set back', async () => {
      const { limiters, pass } = onRedis({ requests: 2 });
      const [limiter] = limiters as [ReturnType<typeof createLimiter>];
      await attempts(limiter, 'a', 2);
      await pass(-5 * hourSeconds);
      expect(await attempt(limiter, 'a')).to.equal(hourSeconds);
      await pass(hourSeconds);
      expect(await attempts(limiter, 'a', 3)).to.deep.equal([...admitted(2), hourSeconds]);
    });

    describe('where one key has a value of another type', () => {
      const lines: string[] = [];
      const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line).msg) });

      it('counts the requests of this key in the process and those of others on Redis', async () => {
        const [redis, other] = connections as [Redis, Redis];
        const name = randomUUID();
        const shape = { name, requests: 2, windowSeconds: hourSeconds, clock: () => 0 };
        const limiter = createLimiter({ ...shape, presence: createRedisPresence(redis, logger) });
        await redis.set(keyOf(name, 'a'), 'no sorted set');
        expect(await attempts(limiter, 'a', 3)).to.deep.equal([...admitted(2), hourSeconds]);
        expect(limiter.shared).to.equal(true);
        expect(await attempts(limiter, 'b', 2)).to.deep.equal(admitted(2));
        const elsewhere = createLimiter({ ...shape, presence: createRedisPresence(other, logger) });
        expect(await attempt(elsewhere, 'b')).to.be.a('number');
        expect(lines).to.deep.equal([
          'a Redis key has a value of the wrong type; its requests are counted per process',
        ]);
      });
    });

    it('counts what an instance of 1.1.0 counts beside it', async () => {
      const name = randomUUID();
      const sixMinutesAgo = (Date.now() - 6 * 60_000) * 1000;
      await connections[0]?.zadd(keyOf(name, 'a'), sixMinutesAgo, 'c2RmZ2hq-1', sixMinutesAgo, 'c2RmZ2hq-2');
      expect(await attempts(limiterOf({ name, requests: 3 }), 'a', 2)).to.deep.equal(['admitted', 54 * 60]);
    });
  });
});

/** `'admitted'`, or the seconds after which a refused request may be sent again. */
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

/** What became of `count` requests, one after another. */
async function attempts(limiter: Limiter, key: string, count: number) {
  const outcomes = [];
  for (let sent = 0; sent < count; sent += 1) outcomes.push(await attempt(limiter, key));
  return outcomes;
}

const admitted = (count: number) => Array.from({ length: count }, () => 'admitted');

/** A request of one client at a time in seconds, and what became of it. */
type Arrival = { at: number; client: number; outcome: 'admitted' | number };

/**
 * The statements themselves, by counting: a client has never more than `limit` admitted requests in any trailing window,
 * is never refused a request that fits into one, and gets the smallest whole number of seconds after which the next one fits.
 * `lateSeconds` bounds how far the clock may be ahead of `at` when the wait is computed.
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
    const told = `request ${index} at ${at} s, with ${counted.length} of ${limit} counted`;
    if (counted.length < limit) {
      expect(outcome, told).to.equal('admitted');
      continue;
    }
    expect(counted.length, told).to.equal(limit);
    const wait = (counted[0]?.at ?? 0) + windowSeconds - at;
    expect(outcome, told).to.be.within(wait - Math.floor(lateSeconds), wait);
  }
}
