import type { Logger } from 'pino';
import type { RedisClient } from '../redis/client.ts';

/** While Redis is away, how often it is asked again. */
const restMilliseconds = 1_000;

export type RedisPresence = ReturnType<typeof createRedisPresence>;

type Use<Result> = {
  /** Counts on Redis. */
  there: () => Promise<Result>;
  /** Counts in this process. */
  here: () => Promise<Result>;
  /** Rejects while Redis cannot do what `there` asks of it, and counts nothing. */
  look: () => Promise<unknown>;
};

/**
 * Whether Redis counts, for all limits of this process. It is away from the first use that fails until the look of that use
 * succeeds. The looks go on whether or not requests come, and no request waits for them.
 */
export function createRedisPresence(redis: RedisClient, logger: Logger) {
  let away = false;

  function lookLater(look: () => Promise<unknown>): void {
    setTimeout(async () => {
      try {
        await look();
      } catch {
        // A connection that was closed for good has ended: the process stops.
        if (redis.status !== 'end') lookLater(look);
        return;
      }
      away = false;
      logger.info('Redis is back: rate-limit counts are shared again');
    }, restMilliseconds).unref();
  }

  return {
    redis,

    get away(): boolean {
      return away;
    },

    /** Gives what `there` gives, or what `here` gives while Redis is away. */
    async use<Result>({ there, here, look }: Use<Result>): Promise<Result> {
      if (away) return here();
      try {
        return await there();
      } catch (error) {
        if (!away) {
          away = true;
          logger.warn({ err: error }, 'Redis is away: this process counts by itself');
          lookLater(look);
        }
        return here();
      }
    },
  };
}
