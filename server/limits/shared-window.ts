import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { RateLimiterRes } from 'rate-limiter-flexible';
import type { MemoryWindow, MonotonicClock } from './memory-window.ts';
import { createRedisWindow } from './redis-window.ts';

/** After Redis has failed, how often it is looked for. */
const restMilliseconds = 1_000;

type Options = {
  name: string;
  points: number;
  duration: number;
  redis: Redis;
  /** Counts in this process while Redis is away. */
  here: MemoryWindow;
  clock: MonotonicClock;
  logger: Logger;
};

/**
 * The window on Redis, and the one in this process while Redis is away. Only the requests that find it gone wait for
 * it: it is looked for beside those that follow.
 */
export function createSharedWindow({ name, points, duration, redis, here, clock, logger }: Options) {
  const keyPrefix = `advisory-chat:limit:${name}`;
  const shared = createRedisWindow({ redis, points, duration, keyPrefix });
  let away = false;
  let lookAgainAt = 0;

  function leave(error: unknown): void {
    if (away) return;
    away = true;
    lookAgainAt = clock() + restMilliseconds;
    logger.warn({ limiter: name, err: error }, 'Redis is away: this process counts by itself');
  }

  async function lookAgain(): Promise<void> {
    lookAgainAt = clock() + restMilliseconds;
    try {
      // A write, because a server that takes none, such as a replica, answers a ping.
      await redis.del(`${keyPrefix}-probe`);
    } catch {
      return;
    }
    if (!away) return;
    away = false;
    logger.info({ limiter: name }, 'Redis is back: rate-limit counts are shared again');
  }

  return {
    /** Whether the counts are on Redis now. */
    get shared(): boolean {
      return !away;
    },

    /** Takes one place in the window of `key`, or rejects with the `RateLimiterRes` that says until when. */
    async consume(key: string): Promise<RateLimiterRes> {
      if (!away) {
        try {
          return await shared.consume(key);
        } catch (error) {
          if (error instanceof RateLimiterRes) throw error;
          leave(error);
        }
      } else if (clock() >= lookAgainAt) void lookAgain();
      return here.consume(key);
    },
  };
}
