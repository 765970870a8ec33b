import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { array, assert, asyncProperty, boolean, integer, nat, record } from 'fast-check';
import type { Redis } from 'ioredis';
import { after, before, describe, it } from 'mocha';
import { pino } from 'pino';
import { createRedisFallback } from '../../../server/limits/redis-fallback.ts';
import { createTokenBudget, type TokenBudget } from '../../../server/limits/token-budget.ts';
import { eventually } from '../../support/eventually.ts';
import { connectTestRedis } from '../../support/test-redis.ts';
import { createFakeClock } from './fake-clock.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
/** Tokens are counted per 15 minutes, so they can count for this much longer than the exact duration. */
const tolerance = 15 * minute;
/** Lies in the middle of one of the 15-minute periods by which tokens are counted. */
const startedAt = Date.UTC(2026, 10, 24, 12, 7, 30);

type Use = { at: number; tokens: number; settled: boolean; settle: (tokens: number) => Promise<void> };

type Counting = { instances: TokenBudget[]; clock: ReturnType<typeof createFakeClock> };

describe('createTokenBudget', () => {
  let connections: Redis[];

  before(async () => {
    connections = [await connectTestRedis(), await connectTestRedis()];
  });
  after(() => {
    for (const redis of connections) redis.disconnect();
  });
  const logger = pino({ level: 'silent' });

  function inMemory(tokens: number): Counting {
    const clock = createFakeClock(startedAt);
    return {
      instances: [createTokenBudget({ name: 'test', tokens, fallback: undefined, clock: clock.read })],
      clock,
    };
  }

  const keyOf = (name: string) => `advisory-chat:budget:${name}:quarters`;

  /** A fake clock replaces the clock of Redis. The clocks of the processes differ, to show that they have no influence. */
  function onRedis(tokens: number, name: string = randomUUID()): Counting {
    const clock = createFakeClock(startedAt);
    const instances = connections.map((connection, index) => {
      const fallback = createRedisFallback(withClock(connection, clock.read), logger);
      return createTokenBudget({ name, tokens, fallback, clock: () => index * 2 * day });
    });
    return { instances, clock };
  }

  for (const [where, count, runs] of [
    ['in memory', inMemory, 500],
    ['on Redis, over two instances', onRedis, 60],
  ] as const) {
    describe(where, () => {
      it('admits turns while the sum of a day is below the budget, and returns a wait that is at most fifteen minutes too long', async () => {
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
              const { instances, clock } = count(budget);
              const uses: Use[] = [];
              /** A reservation counts for an hour plus `extra`, and used tokens for a day plus `extra`. */
              const sumOf = (extra: number, at = clock.read()) =>
                uses
                  .filter((use) => at - use.at < (use.settled ? day : hour) + extra)
                  .reduce((sum, { tokens }) => sum + tokens, 0);

              for (const [index, { waitMinutes, settles, which, tokens }] of steps.entries()) {
                clock.advance(waitMinutes * minute);
                const instance = instances[index % instances.length] as TokenBudget;
                const settled = uses[which % uses.length];
                if (settles && settled?.settled === false) {
                  await settled.settle(tokens);
                  Object.assign(settled, { tokens, settled: true });
                } else {
                  const at = clock.read();
                  const reserved = await instance.reserve(tokens);
                  if ('settle' in reserved) {
                    expect(sumOf(0), `step ${index}`).to.be.below(budget);
                    uses.push({ at, tokens, settled: false, settle: reserved.settle });
                  } else {
                    expect(sumOf(tolerance), `step ${index}`).to.be.at.least(budget);
                    const admittedAt = at + reserved.retryAfterSeconds * 1000;
                    expect(sumOf(0, admittedAt), `after the wait of step ${index}`).to.be.below(budget);
                    const tooEarly = admittedAt - tolerance - 1000;
                    if (tooEarly >= at) expect(sumOf(0, tooEarly), `step ${index}`).to.be.at.least(budget);
                  }
                }
                const remaining = await instance.remaining();
                expect(remaining, `after step ${index}`).to.be.within(
                  Math.max(0, budget - sumOf(tolerance)),
                  Math.max(0, budget - sumOf(0)),
                );
              }
            },
          ),
          { seed: 20_261_122, numRuns: runs },
        );
      });

      it('overspends by at most one turn when a hundred start concurrently', async () => {
        const { instances } = count(1000);
        const turns = Array.from({ length: 100 }, (_, turn) => instances[turn % instances.length] as TokenBudget);
        const reserved = await Promise.all(turns.map((instance) => instance.reserve(300)));
        const admitted = reserved.flatMap((each) => ('settle' in each ? [each.settle] : []));
        expect(admitted).to.have.length(4);
        expect(await instances[0]?.remaining()).to.equal(0);
        await Promise.all(admitted.map((settle) => settle(100)));
        expect(await instances[0]?.remaining(), 'refused turns leave no reservation').to.equal(600);
      });

      it('returns a wait of one second if another turn was settled while this one was refused', async () => {
        const [budget] = count(1000).instances as [TokenBudget];
        const running = await budget.reserve(1000);
        const settled = 'settle' in running ? running.settle : undefined;
        const [refused] = await Promise.all([budget.reserve(300), settled?.(0)]);
        expect(refused).to.deep.equal({ retryAfterSeconds: 1 });
      });

      it('expires an unsettled reservation after an hour, and still counts tokens settled later', async () => {
        const { instances, clock } = count(1000);
        const [budget] = instances as [TokenBudget];
        const running = await budget.reserve(900);
        clock.advance(hour - 1);
        expect(await budget.remaining()).to.equal(100);
        clock.advance(tolerance);
        expect(await budget.remaining()).to.equal(1000);
        if ('settle' in running) await running.settle(700);
        expect(await budget.remaining()).to.equal(300);
      });
    });
  }

  it('counts nothing for a turn that is refused just as a period of fifteen minutes ends', async () => {
    const endOfPeriod = 10 * tolerance;
    let reads = 0;
    const clock = () => {
      reads += 1;
      return reads <= 2 ? endOfPeriod - 1 : endOfPeriod;
    };
    const budget = createTokenBudget({ name: 'test', tokens: 1000, fallback: undefined, clock });
    const running = await budget.reserve(1000);
    expect(await budget.reserve(300)).to.have.property('retryAfterSeconds');
    if ('settle' in running) await running.settle(0);
    expect(await budget.remaining()).to.equal(1000);
  });

  describe('on Redis', () => {
    it("uses Redis' clock", async () => {
      const [redis] = connections as [Redis];
      const name = randomUUID();
      const fallback = createRedisFallback(redis, logger);
      const budget = createTokenBudget({ name, tokens: 1000, fallback, clock: () => 0 });
      const [quarterBefore, , quarterAfter] = [
        await quarterOf(redis),
        await budget.reserve(300),
        await quarterOf(redis),
      ];
      const [quarter] = (await redis.hkeys(keyOf(name))).filter((field) => /^\d+$/.test(field)).map(Number);
      expect(quarter).to.be.within(quarterBefore, quarterAfter);
    });

    it('deletes counts once they have expired', async () => {
      const name = randomUUID();
      const [redis] = connections as [Redis];
      const { instances, clock } = onRedis(1000, name);
      const [budget] = instances as [TokenBudget];
      await budget.reserve(300);
      expect(await redis.pttl(keyOf(name))).to.be.within(day, day + tolerance);
      clock.advance(2 * day);
      await budget.reserve(100);
      expect((await redis.hvals(keyOf(name))).toSorted()).to.deep.equal(['0', '100']);
    });

    it('restarts from zero if Redis loses its data, and still counts tokens settled afterwards', async () => {
      const name = randomUUID();
      const [budget] = onRedis(1000, name).instances as [TokenBudget];
      const lost = await budget.reserve(300);
      await connections[0]?.del(keyOf(name));
      if ('settle' in lost) await lost.settle(100);
      expect(await budget.remaining()).to.equal(900);
    });

    it('ignores tokens that are dated more than a day ahead, as after a clock was set back', async () => {
      const { instances, clock } = onRedis(1000);
      const [budget] = instances as [TokenBudget];
      await budget.reserve(300);
      clock.advance(-2 * day);
      expect(await budget.remaining()).to.equal(1000);
    });

    it('settles a turn where the turn was counted, even if Redis has become available or unavailable since then', async () => {
      const [redis] = connections as [Redis];
      let isDown = true;
      let evaluated = 0;
      const unreliable: Redis = Object.create(redis, {
        eval: {
          value: async (script: string, ...others: [number, ...string[]]) => {
            if (isDown) throw new Error('Connection is closed.');
            const result = await redis.eval(script, ...others);
            evaluated += 1;
            return result;
          },
        },
      });
      const fallback = createRedisFallback(unreliable, logger);
      const budget = createTokenBudget({ name: randomUUID(), tokens: 1000, fallback, clock: () => startedAt });
      const [first, second] = [await budget.reserve(900), await budget.reserve(50)];
      if ('settle' in first) await first.settle(100);
      expect(await budget.remaining()).to.equal(850);
      isDown = false;
      await eventually(() => (fallback.isActive ? undefined : true));
      expect(evaluated, 'probes that succeeded').to.equal(1);
      if ('settle' in second) await second.settle(40);
      expect(await budget.remaining()).to.equal(1000);
      const third = await budget.reserve(50);
      isDown = true;
      if ('settle' in third) await third.settle(30);
      expect(await budget.remaining(), 'the local count').to.equal(860);
      isDown = false;
    });

    it('sends nothing while there is no connection, because a cluster client would queue it', async () => {
      let evaluated = 0;
      const disconnected: Redis = Object.create(connections[0] as Redis, {
        status: { value: 'reconnecting' },
        eval: { value: async () => (evaluated += 1) },
      });
      const fallback = createRedisFallback(disconnected, logger);
      const budget = createTokenBudget({ name: randomUUID(), tokens: 1000, fallback, clock: () => startedAt });
      await budget.reserve(100);
      expect({ evaluated, remaining: await budget.remaining() }).to.deep.equal({ evaluated: 0, remaining: 900 });
    });
  });
});

const quarterOf = async (redis: Redis) => Math.floor(Number((await redis.time())[0]) / 900);

function withClock(redis: Redis, clock: () => number): Redis {
  return Object.create(redis, {
    eval: {
      value: (script: string, ...others: [number, ...string[]]) => {
        const time = `{ '${Math.floor(clock() / 1000)}', '${(clock() % 1000) * 1000}' }`;
        expect(script).to.include(`redis.call('TIME')`);
        return redis.eval(script.replace(`redis.call('TIME')`, time), ...others);
      },
    },
  });
}
