import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { assert, asyncProperty, integer } from 'fast-check';
import type { Redis } from 'ioredis';
import { after, before, beforeEach, describe, it } from 'mocha';
import { createRedisTokenWindow } from '../../../server/limits/redis-token-window.ts';
import { connectTestRedis } from '../../support/test-redis.ts';
import { anyTokenUses, expectModelsAnswers } from './any-token-uses.ts';

/** Uses come whole minutes apart, for Redis' clock goes on by itself: no run takes a minute. */
const minuteSeconds = 60;
const windowMinutes = 10;
const windowSeconds = windowMinutes * minuteSeconds;

describe('createRedisTokenWindow', () => {
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

  const windowOn = (connection: Redis, budget: number, most?: number) =>
    createRedisTokenWindow({ redis: connection, name, budget, windowSeconds, ...(most !== undefined && { most }) });
  const key = (part: 'times' | 'tokens') => `advisory-chat:budget:{${name}}:${part}`;

  /** Lets time pass by moving every use into the past; negative: as a clock does that is set back. */
  async function pass(seconds: number) {
    for (const id of await redis.zrange(key('times'), '0', '-1')) {
      await redis.zincrby(key('times'), String(-seconds * 1e6), id);
    }
  }

  it('admits over two instances while the sum of the trailing window is below the budget, and says how long it is not', async () => {
    await assert(
      asyncProperty(
        integer({ min: 1, max: 100 }),
        anyTokenUses({ windowUnits: windowMinutes, most: 25 }),
        async (budget, steps) => {
          name = randomUUID();
          const beganAt = performance.now();
          await expectModelsAnswers(steps, {
            windows: [windowOn(redis, budget), windowOn(another, budget)],
            budget,
            windowUnits: windowMinutes,
            unitMilliseconds: minuteSeconds * 1000,
            pass: (minutes) => pass(minutes * minuteSeconds),
            lateMilliseconds: () => performance.now() - beganAt,
          });
        },
      ),
      { seed: 20_261_122, numRuns: 40 },
    );
  }).timeout(120_000);

  it('overspends by one turn at most where a hundred come at once over two connections', async () => {
    const windows = [windowOn(redis, 1000), windowOn(another, 1000)];
    const admissions = await Promise.all(
      Array.from({ length: 50 }, (_, turn) =>
        Promise.all(windows.map((window, index) => window.reserve(`${index}-${turn}`, 300))),
      ),
    );
    expect(admissions.flat().filter(({ admitted }) => admitted)).to.have.length(4);
    expect(await windows[0]?.used()).to.equal(1200);
  });

  it('is forgotten by Redis once nothing in it counts any more', async () => {
    await windowOn(redis, 1000).reserve('a', 300);
    for (const part of ['times', 'tokens'] as const) {
      expect(await redis.pttl(key(part)), part).to.be.within(1, windowSeconds * 1000);
    }
    await pass(windowSeconds);
    expect(await windowOn(redis, 1000).used()).to.equal(0);
  });

  it('keeps no more uses than it has room for: the oldest count as long as the next', async () => {
    const window = windowOn(redis, 1000, 3);
    for (const id of ['a', 'b', 'c', 'd']) {
      await window.reserve(id, 100);
      await pass(60);
    }
    expect(await redis.zcard(key('times'))).to.equal(3);
    await pass(windowSeconds - 4 * 60);
    expect(await window.used(), 'the first counts with the second').to.equal(400);
    await window.settle('a', 0);
    expect(await window.used(), 'and is settled no more').to.equal(400);
    await pass(60);
    expect(await window.used()).to.equal(200);
  });

  it('counts what lies ahead, because the clock was set back, as now', async () => {
    const window = windowOn(redis, 100);
    await window.reserve('a', 100);
    await pass(-3600);
    const admission = await window.reserve('b', 100);
    expect(admission).to.include({ admitted: false });
    expect('waitMilliseconds' in admission && admission.waitMilliseconds).to.equal(windowSeconds * 1000);
  });

  for (const part of ['times', 'tokens'] as const) {
    it(`begins anew where Redis has evicted the ${part}`, async () => {
      const window = windowOn(redis, 100);
      await window.reserve('a', 100);
      await redis.del(key(part));
      expect(await window.used()).to.equal(0);
      expect(await window.reserve('b', 100)).to.deep.equal({ admitted: true });
      await window.settle('b', 40);
      expect(await window.used()).to.equal(40);
    });
  }

  it('counts uses that were counted elsewhere, once however often it is told, by what is told last', async () => {
    const window = windowOn(redis, 1000);
    await window.reserve('known', 100);
    const uses = [
      { id: 'young', tokens: 300, ageMilliseconds: 60_000 },
      { id: 'old', tokens: 50, ageMilliseconds: windowSeconds * 1000 },
    ];
    for (let times = 0; times < 2; times += 1) await window.add(uses);
    expect(await window.used()).to.equal(400);
    await window.add([
      { id: 'young', tokens: 200, ageMilliseconds: 30_000 },
      { id: 'known', tokens: 10, ageMilliseconds: undefined },
      { id: 'unknown', tokens: 999, ageMilliseconds: undefined },
    ]);
    expect(await window.used()).to.equal(210);
    await pass(windowSeconds - 60);
    expect(await window.used(), 'as old as it was').to.equal(10);
  });

  it('keeps no more of them than it has room for', async () => {
    const window = windowOn(redis, 1000, 3);
    const uses = ['a', 'b', 'c', 'd', 'e'].map((id, age) => ({ id, tokens: 100, ageMilliseconds: 1000 * (5 - age) }));
    await window.add(uses);
    expect(await redis.zcard(key('times'))).to.equal(3);
    expect(await window.used()).to.equal(500);
  });
});
