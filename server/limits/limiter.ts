import { createHash } from 'node:crypto';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { LimitName } from '../../shared/route-table.ts';
import { AppError } from '../app-error.ts';
import { type RedisClient, requireReady } from '../redis/redis-client.ts';
import { MemoryWindow, type MonotonicClock } from './memory-window.ts';
import type { RedisFallback } from './redis-fallback.ts';

export type Limiter = {
  /** Counts one request of `key`. Rejects with `RATE_LIMITED` and the whole seconds to wait if the limit is reached. */
  take(key: string): Promise<void>;
  /** Rejects as `take` would, without counting a request. */
  check(key: string): Promise<void>;
  /** Whether the counts are currently shared with other instances, in Redis. */
  readonly isShared: boolean;
};

type Options = {
  name: string;
  requests: number;
  windowSeconds: number;
  /** Replaces the sentence of the error table, which precedes the time to wait. */
  sentence?: string | undefined;
  /** The switch from Redis to local counts; undefined if no Redis is configured. */
  fallback: RedisFallback | undefined;
  clock: MonotonicClock;
};

/** Bounds the memory of a limiter to about 100 MB in the worst case, in which every key is long and at its limit. */
const maxKeysInMemory = 100_000;
const maxRequestsInMemory = 6_000_000;

/** Counts in Redis if it is configured and available, and otherwise in this process, so the limiter never fails open. */
export function createLimiter({ name, requests, windowSeconds, sentence, fallback, clock }: Options): Limiter {
  const shape = { points: requests, duration: windowSeconds };
  const maxKeys = Math.min(maxKeysInMemory, Math.floor(maxRequestsInMemory / requests));
  const local = new MemoryWindow({ ...shape, clock, maxKeys });
  const keyPrefix = `advisory-chat:limit:${name}`;
  const shared = fallback && { fallback, window: createRedisWindow({ ...shape, redis: fallback.redis, keyPrefix }) };

  async function consume(longKey: string, points: 0 | 1): Promise<void> {
    const key = boundedKey(longKey);
    const inMemory = () => refusalOf(local.consume(key, points));
    const refusal = await (shared === undefined
      ? inMemory()
      : shared.fallback.run({
          shared: () => consumeOnRedis(shared.fallback.redis, shared.window, key, points),
          local: inMemory,
          // Passes the key, because in a cluster the node that owns it can be the only one that is down.
          probe: () => consumeOnRedis(shared.fallback.redis, shared.window, key, 0),
        }));
    if (refusal === undefined) return;
    const retryAfterSeconds = Math.max(1, Math.ceil(refusal.msBeforeNext / 1000));
    throw new AppError('RATE_LIMITED', { retryAfterSeconds, ...(sentence !== undefined && { sentence }) });
  }

  return {
    get isShared() {
      return fallback?.isActive === false;
    },
    take: (key) => consume(key, 1),
    check: (key) => consume(key, 0),
  };
}

async function consumeOnRedis(
  redis: RedisClient,
  window: ReturnType<typeof createRedisWindow>,
  key: string,
  points: 0 | 1,
) {
  // The error of rate-limiter-flexible would not include the cause.
  requireReady(redis);
  return refusalOf(window.consume(key, points));
}

/**
 * One sliding window for all instances, evaluated atomically by Redis' own clock. A sorted set holds the times of the
 * accepted requests in microseconds. Returns the count, which exceeds the limit if the request is refused, and the
 * milliseconds until the next request is accepted. Refused requests are not recorded. Times in the future, which exist
 * after the clock was set back, are treated as the current time. A check adds a member and removes it again, so that it
 * fails like a counted request if Redis is read-only or out of memory.
 *
 * ARGV: requests to count (1, or 0 for a check), the window in seconds, the limit.
 */
const slidingWindowScript = `
local key, window, limit = KEYS[1], ARGV[2] * 1000000, tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local text = function(number) return string.format('%.0f', number) end

for _, member in ipairs(redis.call('ZRANGEBYSCORE', key, '(' .. text(now), '+inf')) do
  redis.call('ZADD', key, text(now), member)
end
redis.call('ZREMRANGEBYSCORE', key, '-inf', text(now - window))

local before = redis.call('ZCARD', key)
local member = text(now) .. '-' .. before
redis.call('ZADD', key, text(now), member)
if before < limit and tonumber(ARGV[1]) > 0 then
  redis.call('PEXPIRE', key, text(window / 1000))
  return { before + 1, 0 }
end
redis.call('ZREM', key, member)
if before < limit then return { before, 0 } end
local decides = redis.call('ZRANGE', key, before - limit, before - limit, 'WITHSCORES')
return { limit + 1, math.ceil((decides[2] + window - now) / 1000) }
`;

type RedisWindowOptions = { redis: RedisClient; points: number; duration: number; keyPrefix: string };

export function createRedisWindow({ redis, ...options }: RedisWindowOptions): RateLimiterRedis {
  return new RateLimiterRedis({
    ...options,
    storeClient: redis,
    customIncrTtlLuaScript: slidingWindowScript,
    // Rejects immediately. Otherwise, a cluster client would queue commands until it is connected.
    rejectIfRedisNotReady: true,
  });
}

/** Resolves to the window's refusal, or to undefined if it accepts the request. */
async function refusalOf(consumed: Promise<RateLimiterRes>): Promise<RateLimiterRes | undefined> {
  try {
    await consumed;
    return undefined;
  } catch (error) {
    if (error instanceof RateLimiterRes) return error;
    throw error;
  }
}

/** Clients choose parts of a key (`X-Forwarded-For`), so a long one is stored as its hash. */
function boundedKey(key: string): string {
  return key.length <= 64 ? key : createHash('sha256').update(key).digest('base64url');
}

export type RequestLimits = Record<LimitName, { requests: number; windowSeconds: number; sentence?: string }>;
export type Limiters = Record<LimitName, Limiter>;

export function createLimiters(
  limits: RequestLimits,
  dependencies: { fallback: RedisFallback | undefined; clock: MonotonicClock },
): Limiters {
  const limiterOf = (name: LimitName) => createLimiter({ name, ...limits[name], ...dependencies });
  return {
    live: limiterOf('live'),
    demo: limiterOf('demo'),
    signInStart: limiterOf('signInStart'),
    signInCallback: limiterOf('signInCallback'),
    joining: limiterOf('joining'),
    onboarding: limiterOf('onboarding'),
  };
}
