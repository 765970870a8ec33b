import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import type { MonotonicClock } from './memory-window.ts';

/** After Redis has failed, how often it is looked for. */
const restMilliseconds = 1_000;

type Options = {
  /** Whose counts are on Redis, for the log. */
  limiter: string;
  redis: Redis;
  /** Nobody's key, to write to. */
  probeKey: string;
  /** Whether what a use of Redis has rejected with is its answer, and no failure. */
  isAnswer?: (error: unknown) => boolean;
  clock: MonotonicClock;
  logger: Logger;
};

/** Whether Redis is there, as its last use has shown. */
export function createRedisPresence({ limiter, redis, probeKey, isAnswer, clock, logger }: Options) {
  let away = false;
  let lookAgainAt = 0;

  async function lookAgain(): Promise<void> {
    lookAgainAt = clock() + restMilliseconds;
    try {
      // A write, because a server that takes none, such as a replica, answers a ping.
      await redis.del(probeKey);
    } catch {
      return;
    }
    if (!away) return;
    away = false;
    logger.info({ limiter }, 'Redis is back: rate-limit counts are shared again');
  }

  return {
    get away(): boolean {
      return away;
    },

    /**
     * What `there` gives, on Redis, or what `here` gives while Redis is away. Only those that find it gone wait for it: it
     * is looked for beside those that follow.
     */
    async use<Result>(there: () => Promise<Result>, here: () => Promise<Result>): Promise<Result> {
      if (away) {
        if (clock() >= lookAgainAt) void lookAgain();
        return here();
      }
      try {
        return await there();
      } catch (error) {
        if (isAnswer?.(error)) throw error;
        if (!away) {
          away = true;
          lookAgainAt = clock() + restMilliseconds;
          logger.warn({ limiter, err: error }, 'Redis is away: this process counts by itself');
        }
        return here();
      }
    },
  };
}
