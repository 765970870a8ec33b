import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { array, assert, asyncProperty, boolean, integer, nat, record } from 'fast-check';
import type { Redis } from 'ioredis';
import { after, before, describe, it } from 'mocha';
import { pino } from 'pino';
import { createRedisPresence } from '../../../server/limits/redis-presence.ts';
import { createTokenBudget, type TokenBudget } from '../../../server/limits/token-budget.ts';
import { connectTestRedis } from '../../support/test-redis.ts';
import { createFakeClock } from './fake-clock.ts';

const silent = pino({ level: 'silent' });
const minute = 60_000;
const day = 24 * 60 * minute;
/** By so much longer a token may count than a day, and a wait be told than is exact. */
const blur = 15 * minute;
/** No whole quarter hour. */
const startedAt = Date.UTC(2026, 10, 24, 12, 7, 30);

type Use = { at: number; tokens: number; settle: (tokens: number) => Promise<void> };

describe('createTokenBudget', () => {
  let connections: Redis[];

  before(async () => {
    connections = [await connectTestRedis(), await connectTestRedis()];
  });
  after(() => {
    for (const redis of connections) redis.disconnect();
  });

  const inMemory = (tokens: number, clock: () => number) => [
    createTokenBudget({ name: 'test', tokens, presence: undefined, clock }),
  ];
  const onRedis = (tokens: number, clock: () => number, name: string = randomUUID()) =>
    connections.map((redis) =>
      createTokenBudget({ name, tokens, presence: createRedisPresence(redis, silent), clock }),
    );

  for (const [where, create, runs] of [
    ['in memory', inMemory, 500],
    ['on Redis, over two instances', onRedis, 60],
  ] as const) {
    describe(where, () => {
      it('admits while the sum of a day is below the budget, and tells a wait of fifteen minutes more at most', async () => {
        await assert(
          asyncProperty(
            integer({ min: 1, max: 100 }),
            array(
              record({
                waitMinutes: integer({ min: -700, max: 1500 }).map((wait) => Math.max(wait, 0)),
                settles: boolean(),
                which: nat({ max: 1000 }),
                tokens: integer({ min: 0, max: 60 }),
              }),
              { maxLength: 40, size: 'max' },
            ),
            async (budget, steps) => {
              const clock = createFakeClock(startedAt);
              const instances = create(budget, clock.read);
              const uses: Use[] = [];
              const sumOf = (age: number, at = clock.read()) =>
                uses.filter((use) => at - use.at < age).reduce((sum, { tokens }) => sum + tokens, 0);

              for (const [index, { waitMinutes, settles, which, tokens }] of steps.entries()) {
                clock.advance(waitMinutes * minute);
                const instance = instances[index % instances.length] as TokenBudget;
                const settled = uses[which % uses.length];
                if (settles && settled !== undefined) {
                  await settled.settle(tokens);
                  settled.tokens = tokens;
                } else {
                  const reserved = await instance.reserve(tokens);
                  if ('settle' in reserved) {
                    expect(sumOf(day), `step ${index}`).to.be.below(budget);
                    uses.push({ at: clock.read(), tokens, settle: settleOnce(reserved.settle, tokens) });
                  } else {
                    expect(sumOf(day + blur), `step ${index}`).to.be.at.least(budget);
                    const told = clock.read() + reserved.retryAfterSeconds * 1000;
                    expect(sumOf(day, told), `after the wait of step ${index}`).to.be.below(budget);
                    const tooEarly = told - blur - 1000;
                    if (tooEarly >= clock.read()) expect(sumOf(day, tooEarly), `step ${index}`).to.be.at.least(budget);
                  }
                }
                const left = await instance.left();
                expect(left, `after step ${index}`).to.be.within(
                  Math.max(0, budget - sumOf(day + blur)),
                  Math.max(0, budget - sumOf(day)),
                );
              }
            },
          ),
          { seed: 20_261_122, numRuns: runs },
        );
      }).timeout(120_000);

      it('overspends by one turn at most where a hundred come at once', async () => {
        const instances = create(1000, () => startedAt);
        const turns = Array.from({ length: 100 }, (_, turn) => instances[turn % instances.length] as TokenBudget);
        const reserved = await Promise.all(turns.map((instance) => instance.reserve(300)));
        const admitted = reserved.flatMap((each) => ('settle' in each ? [each.settle] : []));
        expect(admitted).to.have.length(4);
        expect(await instances[0]?.left()).to.equal(0);
        await Promise.all(admitted.map((settle) => settle(100)));
        expect(await instances[0]?.left(), 'nothing of the refused is left').to.equal(600);
      });

      it('tells a refused turn to come again at once where another one was settled meanwhile', async () => {
        const [budget] = create(1000, () => startedAt) as [TokenBudget];
        const running = await budget.reserve(1000);
        const settled = 'settle' in running ? running.settle : undefined;
        const [refused] = await Promise.all([budget.reserve(300), settled?.(0)]);
        expect(refused).to.deep.equal({ retryAfterSeconds: 1 });
      });

      it('counts on where the clock is set by less than a day, and forgets a day that is far ahead', async () => {
        const clock = createFakeClock(startedAt);
        const [budget] = create(1000, clock.read) as [TokenBudget];
        await budget.reserve(300);
        clock.moveTo(startedAt - day / 2);
        expect(await budget.left()).to.equal(700);
        clock.moveTo(startedAt - 3 * day);
        expect(await budget.left()).to.equal(1000);
      });
    });
  }

  describe('on Redis', () => {
    const keyOf = (name: string) => `advisory-chat:budget:${name}:quarters`;

    it('keeps nothing for longer than it counts', async () => {
      const name = randomUUID();
      const [redis] = connections as [Redis];
      const clock = createFakeClock(startedAt);
      const [budget] = onRedis(1000, clock.read, name) as [TokenBudget];
      await budget.reserve(300);
      expect(await redis.pttl(keyOf(name))).to.be.within(day, day + blur);
      clock.advance(2 * day);
      for (const _ of ['sees that the first is old', 'removes it']) await budget.reserve(100);
      expect(await redis.hvals(keyOf(name))).to.deep.equal(['200']);
    });

    it('begins anew where Redis has lost everything, and counts no less than what is reserved then', async () => {
      const name = randomUUID();
      const [budget] = onRedis(1000, () => startedAt, name) as [TokenBudget];
      const lost = await budget.reserve(300);
      await connections[0]?.del(keyOf(name));
      if ('settle' in lost) await lost.settle(100);
      expect(await budget.left()).to.equal(1000);
    });
  });
});

/** Each turn is settled once; the property settles a use again, as if it had been reserved with what it was settled at. */
function settleOnce(settle: (tokens: number) => Promise<void>, reserved: number) {
  let now = reserved;
  return async (tokens: number) => {
    await settle(reserved + tokens - now);
    now = tokens;
  };
}
