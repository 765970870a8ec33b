import { createHash } from 'node:crypto';
import { RateLimiterRes } from 'rate-limiter-flexible';
import type { LimitName } from '../../shared/interface.ts';
import { AppError } from '../app-error.ts';
import { type RedisClient, requireReady } from '../redis/client.ts';
import { MemoryWindow, type MonotonicClock } from './memory-window.ts';
import type { RedisPresence } from './redis-presence.ts';
import { createRedisWindow } from './redis-window.ts';

export type Limiter = {
  /** Takes one place in the window of `key`, or rejects with `RATE_LIMITED` and the whole seconds until there is one. */
  take(key: string): Promise<void>;
  /** Rejects as `take` would, and takes nothing. */
  check(key: string): Promise<void>;
  /** Whether the counts are shared with other instances now. */
  readonly shared: boolean;
};

type Options = {
  name: string;
  requests: number;
  windowSeconds: number;
  /** What a refusal says before the wait, in place of the error table's sentence. */
  sentence?: string | undefined;
  /** Undefined where no Redis is configured. */
  presence: RedisPresence | undefined;
  clock: MonotonicClock;
};

/** About 100 MB at the very most: long keys, each at its limit. */
const maxKeysInMemory = 100_000;
const maxRequestsInMemory = 6_000_000;

/** Counts on Redis if it is configured, and in this process while it is unavailable. No failure admits every request. */
export function createLimiter({ name, requests, windowSeconds, sentence, presence, clock }: Options): Limiter {
  const shape = { points: requests, duration: windowSeconds };
  const maxKeys = Math.min(maxKeysInMemory, Math.floor(maxRequestsInMemory / requests));
  const local = new MemoryWindow({ ...shape, clock, maxKeys });
  const shared =
    presence && createRedisWindow({ ...shape, redis: presence.redis, keyPrefix: `advisory-chat:limit:${name}` });

  async function consume(longKey: string, points: 0 | 1): Promise<void> {
    const key = bounded(longKey);
    const inMemory = () => refusalOf(local.consume(key, points));
    const refusal = await (presence === undefined || shared === undefined
      ? inMemory()
      : presence.use({
          shared: () => onRedis(presence.redis, shared, key, points),
          local: inMemory,
          // In a cluster, the node that has this key may be the only one that is unavailable.
          probe: () => onRedis(presence.redis, shared, key, 0),
        }));
    if (refusal === undefined) return;
    const retryAfterSeconds = Math.max(1, Math.ceil(refusal.msBeforeNext / 1000));
    throw new AppError('RATE_LIMITED', { retryAfterSeconds, ...(sentence !== undefined && { sentence }) });
  }

  return {
    get shared() {
      return presence !== undefined && !presence.away;
    },
    take: (key) => consume(key, 1),
    check: (key) => consume(key, 0),
  };
}

async function onRedis(redis: RedisClient, window: ReturnType<typeof createRedisWindow>, key: string, points: 0 | 1) {
  // The window's own error would not have the cause.
  requireReady(redis);
  return refusalOf(window.consume(key, points));
}

/** What a window rejects with where it has no place; undefined where it has one. */
async function refusalOf(consumed: Promise<RateLimiterRes>): Promise<RateLimiterRes | undefined> {
  try {
    await consumed;
    return undefined;
  } catch (error) {
    if (error instanceof RateLimiterRes) return error;
    throw error;
  }
}

/** Keys come from people (`X-Forwarded-For`): however long one is, it takes little room. */
function bounded(key: string): string {
  return key.length <= 64 ? key : createHash('sha256').update(key).digest('base64url');
}

export type Limits = Record<LimitName, { requests: number; windowSeconds: number; sentence?: string }>;
export type Limiters = Record<LimitName, Limiter>;

/** The limiter of every limit that there is, each with counts of its own. */
export function createLimiters(
  limits: Limits,
  parts: { presence: RedisPresence | undefined; clock: MonotonicClock },
): Limiters {
  const limiterOf = (name: LimitName) => createLimiter({ name, ...limits[name], ...parts });
  return {
    live: limiterOf('live'),
    demo: limiterOf('demo'),
    signInStart: limiterOf('signInStart'),
    signInCallback: limiterOf('signInCallback'),
    joining: limiterOf('joining'),
    onboarding: limiterOf('onboarding'),
  };
}
