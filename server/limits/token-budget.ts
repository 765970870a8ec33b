import { type RedisClient, requireReady } from '../redis/redis-client.ts';
import type { MonotonicClock } from './memory-window.ts';
import type { RedisFallback } from './redis-fallback.ts';

const quarterMilliseconds = 15 * 60 * 1000;

/**
 * Used tokens are counted in the period of 15 minutes in which they were reserved. The 96 periods of a day and the current one
 * count, so each token counts for 24 hours from its reservation and at most 15 minutes more.
 */
const usedLifetimeQuarters = 97;

/**
 * Reserved tokens count for an hour and the current period of 15 minutes. No turn lasts that long, so an older
 * reservation belongs to a process that ended before it settled the turn.
 */
const reservedLifetimeQuarters = 5;

/** Replaces the reservation with the used tokens. Never rejects: if Redis is unavailable, the reservation expires instead. */
type Settle = (tokens: number) => Promise<void>;

export type TokenBudget = {
  /** Reserves `tokens`, or returns the whole seconds until the day's sum is below the budget again. */
  reserve(tokens: number): Promise<{ settle: Settle } | { retryAfterSeconds: number }>;
  remaining(): Promise<number>;
};

/** The tokens of a period of 15 minutes. `reserved` is negative if Redis lost a reservation before the turn was settled. */
type Tokens = { reserved: number; used: number };

/** A quarter is the number of a period of 15 minutes, counted from the epoch of the clock. */
type QuarterCounts = { nowMilliseconds: number; quarter: number; quarters: ReadonlyMap<number, Tokens> };

type Counts = {
  /** Atomically adds `tokens`, which can be negative, to `quarter` or the current quarter, and returns all counts. */
  add(tokens: Tokens, quarter?: number): Promise<QuarterCounts>;
};

type Options = {
  name: string;
  tokens: number;
  fallback: RedisFallback | undefined;
  /** The clock of the local counts. The counts in Redis use Redis' own clock, so that all instances agree. */
  clock: MonotonicClock;
};

/**
 * Creates a daily budget of tokens, counted in Redis if it is configured and available, and otherwise in this process. A
 * turn is admitted while the sum before it is below the budget, so parallel turns overspend by at most one turn, as far as their
 * reservations suffice.
 */
export function createTokenBudget({ name, tokens: budget, fallback, clock }: Options): TokenBudget {
  const local = createMemoryCounts(clock);
  const key = `advisory-chat:budget:${name}:quarters`;
  const shared = fallback && { fallback, counts: createRedisCounts(fallback.redis, key) };

  function withCounts<Result>(
    operation: (counts: Counts) => Promise<Result>,
    whileUnavailable = () => operation(local),
  ): Promise<Result> {
    if (shared === undefined) return operation(local);
    return shared.fallback.run({
      shared: () => operation(shared.counts),
      local: whileUnavailable,
      probe: () => shared.counts.add(zeroTokens),
    });
  }

  async function settle(counts: Counts, tokens: Tokens, quarter: number): Promise<void> {
    if (counts === local) await local.add(tokens, quarter);
    else {
      await withCounts<unknown>(
        () => counts.add(tokens, quarter),
        async () => undefined,
      );
    }
  }

  return {
    reserve(tokens) {
      return withCounts(async (counts) => {
        const counted = await counts.add({ reserved: tokens, used: 0 });
        const { quarter } = counted;
        // The turn's own reservation does not count against it.
        if (sumOf(unexpiredIn(counted)) - tokens < budget) {
          return { settle: (used: number) => settle(counts, { reserved: -tokens, used }, quarter) };
        }
        const others = await counts.add({ reserved: -tokens, used: 0 }, quarter);
        const waitMilliseconds = endOfWait(unexpiredIn(others), budget) - others.nowMilliseconds;
        return { retryAfterSeconds: Math.max(1, Math.ceil(waitMilliseconds / 1000)) };
      });
    },

    async remaining() {
      return Math.max(0, budget - sumOf(unexpiredIn(await withCounts((counts) => counts.add(zeroTokens)))));
    },
  };
}

const zeroTokens: Tokens = { reserved: 0, used: 0 };

function quarterAt(milliseconds: number): number {
  return Math.floor(milliseconds / quarterMilliseconds);
}

type ExpiringTokens = { tokens: number; expiresAtMilliseconds: number };

function unexpiredIn({ nowMilliseconds, quarters }: QuarterCounts): ExpiringTokens[] {
  const startOf = (quarter: number) => quarter * quarterMilliseconds;
  return [...quarters]
    .flatMap(([quarter, { reserved, used }]) => [
      { tokens: used, expiresAtMilliseconds: startOf(quarter + usedLifetimeQuarters) },
      { tokens: Math.max(0, reserved), expiresAtMilliseconds: startOf(quarter + reservedLifetimeQuarters) },
    ])
    .filter(({ expiresAtMilliseconds }) => expiresAtMilliseconds > nowMilliseconds);
}

function sumOf(expiring: readonly ExpiringTokens[]): number {
  return expiring.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** Returns the time at which enough tokens have expired for the rest to be below the budget; 0 if it already is. */
function endOfWait(unexpired: readonly ExpiringTokens[], budget: number): number {
  const byExpiry = unexpired.toSorted((one, other) => one.expiresAtMilliseconds - other.expiresAtMilliseconds);
  let remaining = sumOf(byExpiry);
  if (remaining < budget) return 0;
  const last = byExpiry.find(({ tokens }) => {
    remaining -= tokens;
    return remaining < budget;
  });
  return last?.expiresAtMilliseconds ?? 0;
}

function createMemoryCounts(clock: MonotonicClock): Counts {
  const quarters = new Map<number, Tokens>();
  return {
    async add(tokens, quarterToChange) {
      const nowMilliseconds = clock();
      const quarter = quarterToChange ?? quarterAt(nowMilliseconds);
      const { reserved, used } = quarters.get(quarter) ?? zeroTokens;
      quarters.set(quarter, { reserved: reserved + tokens.reserved, used: used + tokens.used });
      for (const old of quarters.keys()) {
        if (quarterAt(nowMilliseconds) - old >= usedLifetimeQuarters) quarters.delete(old);
      }
      return { nowMilliseconds, quarter, quarters: new Map(quarters) };
    },
  };
}

/**
 * Atomically updates one hash by Redis' own clock. A field is the number of a quarter and holds its used tokens; a
 * field with the prefix `reserved:` holds the reserved ones. Deletes expired fields, and those that are dated more than
 * a day ahead, because a wrong clock recorded them. Returns the time as `TIME` does, the quarter that was changed, and
 * the hash.
 *
 * ARGV: tokens to reserve, tokens used, the quarter (empty for the current one), the length of a quarter in
 * seconds, and the lifetimes of used and of reserved tokens in quarters.
 */
const addTokensScript = `
local key, quarter, length = KEYS[1], ARGV[3], tonumber(ARGV[4])
local used_lifetime, reserved_lifetime = tonumber(ARGV[5]), tonumber(ARGV[6])
local time = redis.call('TIME')
local now = math.floor(time[1] / length)
if quarter == '' then quarter = string.format('%.0f', now) end
redis.call('HINCRBY', key, 'reserved:' .. quarter, ARGV[1])
redis.call('HINCRBY', key, quarter, ARGV[2])
for _, field in ipairs(redis.call('HKEYS', key)) do
  local at = tonumber(string.match(field, '%d+$'))
  local lifetime = string.match(field, '^reserved:') and reserved_lifetime or used_lifetime
  if at == nil or now - at >= lifetime or at - now >= used_lifetime then redis.call('HDEL', key, field) end
end
redis.call('EXPIRE', key, used_lifetime * length)
return { time[1], time[2], quarter, redis.call('HGETALL', key) }
`;

function createRedisCounts(redis: RedisClient, key: string): Counts {
  return {
    async add({ reserved, used }, quarter) {
      requireReady(redis);
      const durations = [quarterMilliseconds / 1000, usedLifetimeQuarters, reservedLifetimeQuarters];
      const result = await redis.eval(addTokensScript, 1, key, reserved, used, quarter ?? '', ...durations);
      const [seconds, microseconds, changedQuarter, hash] = result as [string, string, string, string[]];
      const quarters = new Map<number, Tokens>();
      for (let index = 0; index < hash.length; index += 2) {
        const [, isReserved, at] = /^(reserved:)?(\d+)$/.exec(hash[index] ?? '') ?? [];
        if (at === undefined) continue;
        const tokens = quarters.get(Number(at)) ?? zeroTokens;
        quarters.set(Number(at), { ...tokens, [isReserved ? 'reserved' : 'used']: Number(hash[index + 1]) });
      }
      const nowMilliseconds = Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000);
      return { nowMilliseconds, quarter: Number(changedQuarter), quarters };
    },
  };
}
