import { setTimeout as delay } from 'node:timers/promises';
import type { Postgres } from '../../support/postgres-process.ts';
import type { RedisServer } from '../../support/redis-process.ts';
import { now } from '../now.ts';
import type { Product } from '../parts/product.ts';
import type { Provider } from '../parts/provider.ts';
import type { Fate } from '../plan/fates.ts';
import type { FaultRecord, Moment } from '../records.ts';
import { type FaultKind, failingParts } from './fault-kinds.ts';

export type Parts = { postgres: Postgres; redis: RedisServer; provider: Provider; product: Product };

/** How long what is taken away stays away. */
const awayMilliseconds = 2_500;

/**
 * How long after a failure of the database the process is not killed: what could not be stored meanwhile is stored by
 * then. A crash may cost the replies in flight, and only they can be told from what was lost.
 */
const lateWritesMilliseconds = 5_000;

/** Injects faults one after the other and notes when each began and when its part worked again. */
export function createFaults({ postgres, redis, provider, product }: Parts) {
  const records: FaultRecord[] = [];
  const redisEmptiedAt: Moment[] = [];

  async function restartRedis(hold: () => Promise<unknown>): Promise<void> {
    await redis.stop();
    redisEmptiedAt.push(now());
    await hold();
    await redis.start();
  }

  async function strikeProvider(fate: Fate): Promise<void> {
    provider.strike(fate);
    await delay(awayMilliseconds);
    provider.strike(null);
  }

  const away = () => delay(awayMilliseconds);
  const inject: Record<FaultKind, () => Promise<void>> = {
    async 'database restarted'() {
      await postgres.stop();
      await postgres.start();
    },
    async 'database crashed'() {
      await postgres.crash();
      await postgres.start();
    },
    async 'database away'() {
      await postgres.crash();
      await away();
      await postgres.start();
    },
    async 'database frozen'() {
      const thaw = await postgres.freeze();
      await away();
      thaw();
    },
    'transactions killed': () => postgres.killTransactions(awayMilliseconds),
    async 'Redis frozen'() {
      redis.freeze();
      await away();
      redis.thaw();
    },
    'Redis away': () => restartRedis(away),
    'Redis restarted': () => restartRedis(async () => undefined),
    async 'database and Redis away'() {
      await postgres.stop();
      await restartRedis(away);
      await postgres.start();
    },
    'provider overloaded': () => strikeProvider('refused with 529'),
    'provider failing': () => strikeProvider('refused with 500'),
    'provider cutting replies': () => strikeProvider('cut after text'),
    'provider rejecting the key': () => strikeProvider('refused with 401'),
    async 'product stopped'() {
      await product.stop();
      await product.start();
    },
    async 'product killed'() {
      await product.kill();
      await product.start();
    },
  };

  return {
    records,
    redisEmptiedAt,
    async inject(kind: FaultKind): Promise<void> {
      if (kind === 'product killed') {
        const last = records.findLast(({ failing }) => failing.includes('database'));
        if (last !== undefined) await delay(Math.max(0, last.mendedAt + lateWritesMilliseconds - now()));
      }
      const from = now();
      await inject[kind]();
      records.push({ kind, from, mendedAt: now(), failing: [...failingParts[kind]] });
    },
  };
}
