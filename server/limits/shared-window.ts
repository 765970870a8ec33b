import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { RateLimiterRes } from 'rate-limiter-flexible';
import type { MemoryWindow, MonotonicClock } from './memory-window.ts';
import { createRedisPresence } from './redis-presence.ts';
import { createRedisWindow } from './redis-window.ts';

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

/** The window on Redis, and the one in this process while Redis is away. */
export function createSharedWindow({ name, points, duration, redis, here, clock, logger }: Options) {
  const keyPrefix = `advisory-chat:limit:${name}`;
  const shared = createRedisWindow({ redis, points, duration, keyPrefix });
  const presence = createRedisPresence({
    limiter: name,
    redis,
    probeKey: `${keyPrefix}-probe`,
    isAnswer: (error) => error instanceof RateLimiterRes,
    clock,
    logger,
  });

  return {
    /** Whether the counts are on Redis now. */
    get shared(): boolean {
      return !presence.away;
    },

    /** Takes one place in the window of `key`, or none, or rejects with the `RateLimiterRes` that says until when. */
    consume(key: string, points: 0 | 1): Promise<RateLimiterRes> {
      return presence.use(
        () => shared.consume(key, points),
        () => here.consume(key, points),
      );
    },
  };
}
