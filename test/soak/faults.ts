import { setTimeout as delay } from 'node:timers/promises';
import type { Postgres } from '../support/postgres-process.ts';
import type { RedisServer } from '../support/redis-process.ts';
import type { Absence } from './invariants.ts';
import { now, type Product, type Provider } from './parts.ts';

type Parts = { postgres: Postgres; redis: RedisServer; provider: Provider; product: Product; absences: Absence[] };

const awayMilliseconds = 2_500;

/** What was late because of the database is stored by then. A process that is killed before would lose it. */
const lateWritesMilliseconds = 5_000;

/** Every kind of fault with the parts that it takes away; the most telling first. Each resolves when the parts work again. */
export function createFaults({ postgres, redis, provider, product, absences }: Parts) {
  const away = () => delay(awayMilliseconds);
  const restart = async (part: { stop(): Promise<unknown>; start(): Promise<unknown> }, hold = async () => {}) => {
    await part.stop();
    await hold();
    await part.start();
  };
  const crash = { stop: postgres.crash, start: postgres.start };
  const strike = async (fate: Parameters<Provider['strike']>[0]) => {
    provider.strike(fate);
    await away();
    provider.strike(null);
  };

  const faults: Record<string, { parts: string[]; strike: () => Promise<unknown> }> = {
    'database crashed': { parts: ['database'], strike: () => restart(crash) },
    'product stopped': { parts: ['product stopped'], strike: () => restart(product) },
    'Redis frozen': {
      parts: ['redis'],
      async strike() {
        redis.freeze();
        await away();
        redis.thaw();
      },
    },
    'transactions killed': { parts: ['database'], strike: () => postgres.killTransactions(awayMilliseconds) },
    'product killed': {
      parts: ['product killed'],
      strike: () => restart({ stop: product.kill, start: product.start }),
    },
    'provider overloaded': { parts: ['provider'], strike: () => strike('refused with 529') },
    'database frozen': {
      parts: ['database'],
      async strike() {
        const thaw = await postgres.freeze();
        await away();
        thaw();
      },
    },
    'Redis away': { parts: ['redis'], strike: () => restart(redis, away) },
    'database away': { parts: ['database'], strike: () => restart(crash, away) },
    'provider failing': { parts: ['provider'], strike: () => strike('refused with 500') },
    'database and Redis away': {
      parts: ['database', 'redis'],
      strike: () => restart(postgres, () => restart(redis, away)),
    },
    'Redis restarted': { parts: ['redis'], strike: () => restart(redis) },
    'database restarted': { parts: ['database'], strike: () => restart(postgres) },
    'provider cutting replies': { parts: ['provider'], strike: () => strike('cut after text') },
    'provider rejecting the key': { parts: ['provider'], strike: () => strike('refused with 401') },
  };

  return {
    kinds: Object.keys(faults),
    async inject(kind: string): Promise<void> {
      const { parts, strike } = faults[kind] ?? { parts: [], strike: async () => {} };
      const database = absences.findLast(({ part }) => part === 'database');
      if (kind === 'product killed' && database)
        await delay(Math.max(0, database.until + lateWritesMilliseconds - now()));
      const since = now();
      await strike();
      absences.push(...parts.map((part) => ({ part, since, until: now() })));
    },
  };
}

/** Whether a fault replaces the process, whose memory is compared with its own only from then on. */
export const replacesProcess = (kind: string) => kind.startsWith('product ');
