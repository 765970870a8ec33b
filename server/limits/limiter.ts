import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import { RateLimiterRes } from 'rate-limiter-flexible';
import { AppError } from '../app-error.ts';
import type { RedisClient } from '../redis/client.ts';
import { MemoryWindow, type MonotonicClock } from './memory-window.ts';
import { createSharedWindow } from './shared-window.ts';

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
  redis: RedisClient | undefined;
  clock: MonotonicClock;
  logger: Logger;
};

/** About 100 MB at the very most: long keys, each at its limit. */
const mostKeysInMemory = 100_000;
const mostRequestsInMemory = 6_000_000;

/** Counts on Redis where there is one; while it is away, in this process, and says so in the log. Never lets all through. */
export function createLimiter({ name, requests, windowSeconds, sentence, redis, clock, logger }: Options): Limiter {
  const shape = { points: requests, duration: windowSeconds };
  const mostKeys = Math.min(mostKeysInMemory, Math.floor(mostRequestsInMemory / requests));
  const here = new MemoryWindow({ ...shape, clock, mostKeys });
  const window = redis === undefined ? here : createSharedWindow({ ...shape, name, redis, here, clock, logger });

  async function consume(key: string, points: 0 | 1): Promise<void> {
    try {
      await window.consume(bounded(key), points);
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      const retryAfterSeconds = Math.max(1, Math.ceil(error.msBeforeNext / 1000));
      throw new AppError('RATE_LIMITED', { retryAfterSeconds, ...(sentence !== undefined && { sentence }) });
    }
  }

  return {
    get shared() {
      return 'shared' in window && window.shared;
    },
    take: (key) => consume(key, 1),
    check: (key) => consume(key, 0),
  };
}

/** Keys come from people (`X-Forwarded-For`): however long one is, it takes little room. */
function bounded(key: string): string {
  return key.length <= 64 ? key : createHash('sha256').update(key).digest('base64url');
}
