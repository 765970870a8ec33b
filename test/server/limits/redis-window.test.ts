import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Redis } from 'ioredis';
import { after, before, beforeEach, describe, it } from 'mocha';
import { pino } from 'pino';
import { createLimiter } from '../../../server/limits/limiter.ts';
import { RedisWindow } from '../../../server/limits/redis-window.ts';
import { connectTestRedis } from '../../support/test-redis.ts';
import { admitted, attempt, attempts } from './attempts.ts';

const silent = pino({ level: 'silent' });
const hourSeconds = 3600;
const minute = 60_000;

describe('createLimiter, with Redis', () => {
  let redis: Redis;
  let another: Redis;
  let name: string;

  before(async () => {
    redis = await connectTestRedis();
    another = await connectTestRedis();
  });
  beforeEach(() => {
    name = randomUUID();
  });
  after(() => {
    redis.disconnect();
    another.disconnect();
  });

  const limiterOn = (connection: Redis, requests = 15) =>
    createLimiter({
      name,
      requests,
      windowSeconds: hourSeconds,
      redis: connection,
      clock: () => performance.now(),
      logger: silent,
    });
  const keyOf = (client: string) => `advisory-chat:limit:${name}:${client}`;

  /** Lets time pass by moving everything counted into the past; negative: as a clock does that is set back. */
  async function pass(client: string, milliseconds: number) {
    const times = await redis.zrange(keyOf(client), '0', '-1');
    for (const time of times) await redis.zincrby(keyOf(client), String(-milliseconds * 1000), time);
  }

  it('says without taking anything whether the limit is reached', async () => {
    const limiter = limiterOn(redis);
    for (let look = 0; look < 20; look += 1) await limiter.check('a');
    expect(await attempts(limiter, 'a', 15)).to.deep.equal(admitted(15));
    const refusal = await limiter.check('a').catch((error: unknown) => error);
    expect(refusal).to.include({ code: 'RATE_LIMITED', retryAfterSeconds: hourSeconds });
  });

  it('keeps nothing of a client for longer than the window', async () => {
    await attempt(limiterOn(redis), 'a');
    expect(await redis.pttl(keyOf('a'))).to.be.within((hourSeconds - 60) * 1000, hourSeconds * 1000);
  });

  it('locks nobody out for longer than the window when the clock is set back', async () => {
    const limiter = limiterOn(redis, 2);
    await attempts(limiter, 'a', 2);
    await pass('a', -5 * 60 * minute);
    expect(await attempt(limiter, 'a')).to.equal(hourSeconds);
    await pass('a', 60 * minute);
    expect(await attempts(limiter, 'a', 3)).to.deep.equal(['admitted', 'admitted', hourSeconds]);
  });

  it('admits by the new limit where it was lowered while requests were counted', async () => {
    await attempts(limiterOn(redis, 3), 'a', 1);
    await pass('a', 30 * minute);
    await attempts(limiterOn(redis, 3), 'a', 2);
    expect(await attempt(limiterOn(redis, 1), 'a')).to.equal(hourSeconds);
  });

  describe('of requests that were counted elsewhere', () => {
    const windowOn = (connection: Redis, points = 3) =>
      new RedisWindow({ redis: connection, points, duration: hourSeconds, keyPrefix: `advisory-chat:limit:${name}` });
    /** Requests with these ids, each so many minutes old. */
    const counted = (ages: Record<string, number>) =>
      Object.entries(ages).map(([id, minutes]) => ({ id, ageMilliseconds: minutes * minute }));
    const tell = (ages: Record<string, number>, points?: number) =>
      windowOn(redis, points)
        .step('a', 0, 'look', { voided: [], counted: counted(ages) })
        .catch(() => undefined);
    const members = () => redis.zrange(keyOf('a'), '0', '-1');

    it('counts each once, however often it is told, from the time at which it came', async () => {
      for (let times = 0; times < 3; times += 1) await tell({ x: 30, y: 20 });
      expect(await attempts(limiterOn(redis, 3), 'a', 2)).to.deep.equal(['admitted', 1800]);
      await tell({ x: 10, z: 59 });
      expect(await attempt(limiterOn(another, 3), 'a'), 'no younger by what is told later').to.equal(1800);
    });

    it('counts none that is older than the window', async () => {
      await tell({ x: 60, y: 61, z: 59 });
      expect(await members()).to.deep.equal(['z']);
      expect(await redis.pttl(keyOf('a'))).to.be.within(1, hourSeconds * 1000);
    });

    it('keeps of many no more than decide', async () => {
      await tell({ a: 50, b: 40, c: 30, d: 20, e: 10 });
      expect(await members()).to.deep.equal(['c', 'd', 'e']);
      expect(await attempt(limiterOn(redis, 3), 'a')).to.equal(1800);
    });

    it('does not count one that was judged elsewhere after it had been asked about here', async () => {
      const window = windowOn(redis);
      await window.step('a', 1, 'late');
      await window.step('a', 0, 'look', { voided: ['late', 'never'], counted: counted({ x: 1 }) });
      expect(await members()).to.deep.equal(['x']);
    });

    it('takes one place for a request that is sent twice, also when it took the last', async () => {
      const window = windowOn(redis, 2);
      for (const id of ['one', 'other', 'other', 'one']) await window.step('a', 1, id);
      expect(await members()).to.have.members(['one', 'other']);
      expect(await attempt(limiterOn(redis, 2), 'a')).to.equal(hourSeconds);
    });
  });
});
