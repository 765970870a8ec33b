import { type RedisClient, requireReady } from '../redis/client.ts';
import type { RedisPresence } from './redis-presence.ts';

const quarterMilliseconds = 15 * 60 * 1000;

/**
 * How many quarter hours count: those of a day, and the one that has begun. So each token counts for a whole day, and for
 * fifteen minutes more at the most.
 */
const countedQuarters = 97;

/** Counts what was really used in place of what was reserved. It never fails: while Redis is away, the reservation stays. */
type Settle = (tokens: number) => Promise<void>;

export type TokenBudget = {
  /** Reserves the most that may be used, or gives the whole seconds until the day's sum is below the budget again. */
  reserve(tokens: number): Promise<{ settle: Settle } | { retryAfterSeconds: number }>;
  /** The tokens that are left now. */
  left(): Promise<number>;
};

/** Tokens by quarter hour. The quarter hours are numbered from 1970 on. */
type Quarters = Map<number, number>;

type Counts = {
  /** Adds `tokens`, which may be negative, to a quarter hour in one step, and gives all of them as they are then. */
  add(quarter: number, tokens: number): Promise<Quarters>;
  /** Removes quarter hours that count no more, now or with the next `add`. */
  forget(quarters: readonly number[]): void;
};

type Options = {
  name: string;
  tokens: number;
  /** Undefined where no Redis is configured. */
  presence: RedisPresence | undefined;
  /** The time of day in milliseconds since 1970, which the instances have in common. */
  clock: () => number;
};

/**
 * The tokens that may be used in a day, counted on Redis where there is one, and in this process while it is away. A turn is
 * admitted while the sum before it is below the budget: parallel turns overspend by one turn at the most.
 */
export function createTokenBudget({ name, tokens: budget, presence, clock }: Options): TokenBudget {
  const here = createMemoryCounts();
  const there = presence && createRedisCounts(presence.redis, `advisory-chat:budget:${name}:quarters`);

  /** Does `work` where tokens are counted now. */
  function counting<Result>(work: (counts: Counts) => Promise<Result>, whileAway = () => work(here)): Promise<Result> {
    if (presence === undefined || there === undefined) return work(here);
    return presence.use({
      there: () => work(there),
      here: whileAway,
      look: () => there.add(quarterAt(clock()), 0),
    });
  }

  /** Adds the tokens; gives the quarter hours that count, the oldest first. */
  async function add(counts: Counts, quarter: number, tokens: number): Promise<[number, number][]> {
    const now = quarterAt(clock());
    const quarters = [...(await counts.add(quarter, tokens))].sort(([one], [other]) => one - other);
    // What lies ahead by more than a day comes from a clock that was wrong.
    const isCounted = ([at]: [number, number]) => Math.abs(now - at) < countedQuarters;
    counts.forget(quarters.filter((each) => !isCounted(each)).map(([at]) => at));
    return quarters.filter(isCounted);
  }

  function settle(counts: Counts, quarter: number, difference: number): Promise<unknown> {
    if (counts === here) return add(here, quarter, difference);
    return counting<unknown>(
      () => add(counts, quarter, difference),
      async () => undefined,
    );
  }

  return {
    reserve(tokens) {
      return counting(async (counts) => {
        const quarter = quarterAt(clock());
        const quarters = await add(counts, quarter, tokens);
        // Its own tokens do not count against it.
        if (sumOf(quarters) - tokens < budget) {
          return {
            settle: async (used: number) => void (await settle(counts, quarter, used - tokens)),
          };
        }
        const others = await add(counts, quarter, -tokens);
        return { retryAfterSeconds: Math.max(1, Math.ceil((endOfWait(others, budget) - clock()) / 1000)) };
      });
    },

    async left() {
      return Math.max(0, budget - sumOf(await counting((counts) => add(counts, quarterAt(clock()), 0))));
    },
  };
}

function quarterAt(milliseconds: number): number {
  return Math.floor(milliseconds / quarterMilliseconds);
}

/** A quarter hour is below 0 where Redis has lost the reservation of a turn that was settled afterwards. */
function sumOf(quarters: readonly [number, number][]): number {
  return quarters.reduce((sum, [, tokens]) => sum + Math.max(0, tokens), 0);
}

/** The time at which so many quarter hours count no more that the rest is below the budget; 0 where all of them are. */
function endOfWait(quarters: readonly [number, number][], budget: number): number {
  if (sumOf(quarters) < budget) return 0;
  const last = quarters.find((_, index) => sumOf(quarters.slice(index + 1)) < budget);
  return ((last?.[0] ?? 0) + countedQuarters) * quarterMilliseconds;
}

function createMemoryCounts(): Counts {
  const quarters: Quarters = new Map();
  return {
    async add(quarter, tokens) {
      quarters.set(quarter, (quarters.get(quarter) ?? 0) + tokens);
      return new Map(quarters);
    },
    forget(old) {
      for (const quarter of old) quarters.delete(quarter);
    },
  };
}

/** One hash, changed in one transaction. Rejects while Redis is away. */
function createRedisCounts(redis: RedisClient, key: string): Counts {
  let forgotten: readonly number[] = [];
  return {
    async add(quarter, tokens) {
      requireReady(redis);
      const transaction = redis.multi();
      if (forgotten.length > 0) transaction.hdel(key, ...forgotten.map(String));
      transaction.hincrby(key, String(quarter), tokens);
      transaction.expire(key, (countedQuarters * quarterMilliseconds) / 1000);
      transaction.hgetall(key);
      const results = await transaction.exec().catch((error: unknown) => {
        throw refusalIn(error);
      });
      const [, quarters = {}] = results?.at(-1) ?? [];
      return new Map(Object.entries(quarters as object).map(([at, sum]) => [Number(at), Number(sum)]));
    },
    forget(old) {
      forgotten = old;
    },
  };
}

/** Why a transaction failed, such as `OOM`, is in the error of the command that Redis did not take into it. */
function refusalIn(error: unknown): unknown {
  if (!(error instanceof Error) || !('previousErrors' in error)) return error;
  const [first] = Array.isArray(error.previousErrors) ? error.previousErrors : [];
  return first ?? error;
}
