import { type RedisClient, requireReady } from '../redis/client.ts';
import type { MonotonicClock } from './memory-window.ts';
import type { RedisPresence } from './redis-presence.ts';

const quarterMilliseconds = 15 * 60 * 1000;

/**
 * For how many quarter hours tokens count: those of a day, and the one that has begun. So each token counts for a whole day,
 * and for at most fifteen minutes more.
 */
const countedQuarters = 97;

/**
 * The same of tokens that were reserved and never settled: an hour and the quarter hour that has begun. No turn lasts that
 * long, so the process of the turn has ended without settling it.
 */
const reservedQuarters = 5;

/** Counts the tokens that were used in place of those reserved. It never fails: without Redis, the reservation lapses. */
type Settle = (tokens: number) => Promise<void>;

export type TokenBudget = {
  /** Reserves the most that may be used, or gives the whole seconds until the day's sum is below the budget again. */
  reserve(tokens: number): Promise<{ settle: Settle } | { retryAfterSeconds: number }>;
  /** The tokens that are left now. */
  left(): Promise<number>;
};

/** The tokens of a quarter hour. `reserved` is below 0 if Redis has lost the reservation of a turn that is settled later. */
type Tokens = { reserved: number; used: number };

/** Quarter hours are numbered from the beginning of the clock that counts them. */
type Reading = { nowMilliseconds: number; quarter: number; quarters: ReadonlyMap<number, Tokens> };

type Counts = {
  /** Adds `tokens`, which may be negative, to the present quarter hour or to `quarter`, and gives all of them, in one step. */
  add(tokens: Tokens, quarter?: number): Promise<Reading>;
};

type Options = {
  name: string;
  tokens: number;
  /** Undefined where no Redis is configured. */
  presence: RedisPresence | undefined;
  /** The clock of this process' own counts. Redis counts by its own clock, which the instances have in common. */
  clock: MonotonicClock;
};

/**
 * The tokens that may be used in a day, counted on Redis if it is configured, and in this process while it is unavailable. A
 * turn is admitted while the sum before it is below the budget: parallel turns overspend by one turn at most.
 */
export function createTokenBudget({ name, tokens: budget, presence, clock }: Options): TokenBudget {
  const local = createMemoryCounts(clock);
  const shared = presence && createRedisCounts(presence.redis, `advisory-chat:budget:${name}:quarters`);

  /** Does `work` where tokens are counted now. */
  function counting<Result>(
    work: (counts: Counts) => Promise<Result>,
    whileUnavailable = () => work(local),
  ): Promise<Result> {
    if (presence === undefined || shared === undefined) return work(local);
    return presence.use({
      shared: () => work(shared),
      local: whileUnavailable,
      probe: () => shared.add(nothing),
    });
  }

  async function settle(counts: Counts, tokens: Tokens, quarter: number): Promise<void> {
    if (counts === local) await local.add(tokens, quarter);
    else {
      await counting<unknown>(
        () => counts.add(tokens, quarter),
        async () => undefined,
      );
    }
  }

  return {
    reserve(tokens) {
      return counting(async (counts) => {
        const reading = await counts.add({ reserved: tokens, used: 0 });
        const { quarter } = reading;
        // Its own tokens do not count against it.
        if (sumOf(countedIn(reading)) - tokens < budget) {
          return { settle: (used: number) => settle(counts, { reserved: -tokens, used }, quarter) };
        }
        const others = await counts.add({ reserved: -tokens, used: 0 }, quarter);
        const waitMilliseconds = endOfWait(countedIn(others), budget) - others.nowMilliseconds;
        return { retryAfterSeconds: Math.max(1, Math.ceil(waitMilliseconds / 1000)) };
      });
    },

    async left() {
      return Math.max(0, budget - sumOf(countedIn(await counting((counts) => counts.add(nothing)))));
    },
  };
}

const nothing: Tokens = { reserved: 0, used: 0 };

function quarterAt(milliseconds: number): number {
  return Math.floor(milliseconds / quarterMilliseconds);
}

/** Tokens that count until `until`, in milliseconds. */
type Counted = { tokens: number; until: number };

/** What counts now. A quarter hour that lies ahead by more than a day comes from a clock that was wrong. */
function countedIn({ nowMilliseconds, quarter: now, quarters }: Reading): Counted[] {
  return [...quarters]
    .filter(([quarter]) => quarter - now < countedQuarters)
    .flatMap(([quarter, { reserved, used }]) => [
      { tokens: used, until: (quarter + countedQuarters) * quarterMilliseconds },
      { tokens: Math.max(0, reserved), until: (quarter + reservedQuarters) * quarterMilliseconds },
    ])
    .filter(({ until }) => until > nowMilliseconds);
}

function sumOf(counted: readonly Counted[]): number {
  return counted.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** The time at which so many tokens have lapsed that the rest is below the budget; 0 if it is below already. */
function endOfWait(counted: readonly Counted[], budget: number): number {
  const lapsing = counted.toSorted((one, other) => one.until - other.until);
  let left = sumOf(lapsing);
  if (left < budget) return 0;
  const last = lapsing.find(({ tokens }) => {
    left -= tokens;
    return left < budget;
  });
  return last?.until ?? 0;
}

function createMemoryCounts(clock: MonotonicClock): Counts {
  const quarters = new Map<number, Tokens>();
  return {
    async add(tokens, named) {
      const nowMilliseconds = clock();
      const quarter = named ?? quarterAt(nowMilliseconds);
      const { reserved, used } = quarters.get(quarter) ?? nothing;
      quarters.set(quarter, { reserved: reserved + tokens.reserved, used: used + tokens.used });
      for (const old of quarters.keys()) {
        if (quarterAt(nowMilliseconds) - old >= countedQuarters) quarters.delete(old);
      }
      return { nowMilliseconds, quarter, quarters: new Map(quarters) };
    },
  };
}

/**
 * One hash, changed in one step and by Redis' own clock. Its fields are numbers of quarter hours, with the tokens that were
 * used, and the same behind `reserved:`. Entries that no longer count are deleted. Gives the time as `TIME` does, the quarter
 * hour that was changed, and the hash.
 *
 * ARGV: tokens to reserve, tokens used, the quarter hour or nothing for the present one, and the three durations.
 */
const addTokens = `
local key, quarter, length = KEYS[1], ARGV[3], tonumber(ARGV[4])
local counted, reserved = tonumber(ARGV[5]), tonumber(ARGV[6])
local time = redis.call('TIME')
local now = math.floor(time[1] / length)
if quarter == '' then quarter = string.format('%.0f', now) end
redis.call('HINCRBY', key, 'reserved:' .. quarter, ARGV[1])
redis.call('HINCRBY', key, quarter, ARGV[2])
for _, field in ipairs(redis.call('HKEYS', key)) do
  local at = tonumber(string.match(field, '%d+$'))
  local lasts = string.match(field, '^reserved:') and reserved or counted
  if at == nil or now - at >= lasts or at - now >= counted then redis.call('HDEL', key, field) end
end
redis.call('EXPIRE', key, counted * length)
return { time[1], time[2], quarter, redis.call('HGETALL', key) }
`;

/** Rejects while Redis is unavailable. */
function createRedisCounts(redis: RedisClient, key: string): Counts {
  return {
    async add({ reserved, used }, named) {
      requireReady(redis);
      const durations = [quarterMilliseconds / 1000, countedQuarters, reservedQuarters];
      const result = await redis.eval(addTokens, 1, key, reserved, used, named ?? '', ...durations);
      const [seconds, microseconds, quarter, hash] = result as [string, string, string, string[]];
      const quarters = new Map<number, Tokens>();
      for (let index = 0; index < hash.length; index += 2) {
        const [, isReserved, at] = /^(reserved:)?(\d+)$/.exec(hash[index] ?? '') ?? [];
        if (at === undefined) continue;
        const tokens = quarters.get(Number(at)) ?? nothing;
        quarters.set(Number(at), { ...tokens, [isReserved ? 'reserved' : 'used']: Number(hash[index + 1]) });
      }
      const nowMilliseconds = Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000);
      return { nowMilliseconds, quarter: Number(quarter), quarters };
    },
  };
}
