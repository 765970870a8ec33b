import type { Logger } from 'pino';
import type { RedisClient } from '../redis/client.ts';

/** While Redis is away, how often it is looked for. */
const restMilliseconds = 1_000;

type Options = {
  /** Whose counts are on Redis, for the log. */
  limiter: string;
  redis: RedisClient;
  /** Does on Redis what the last use that failed would have done there. Rejects while it cannot. */
  look: () => Promise<unknown>;
  /** Redis is used from now on, or has a new connection: it may have lost its counts. */
  onReturn: () => void;
  /** Whether what a use of Redis has rejected with is its answer, and no failure. */
  isAnswer?: (error: unknown) => boolean;
  logger: Logger;
};

/** Whether Redis is there, as its last use has shown. While it is not, it is looked for whether or not requests come. */
export function createRedisPresence({ limiter, redis, look, onReturn, isAnswer, logger }: Options) {
  let away = false;
  let looking = false;
  let timer: NodeJS.Timeout | undefined;

  function lookLater(): void {
    // The connection was closed for good: the process stops.
    if (redis.status === 'end') return;
    timer ??= setTimeout(lookAgain, restMilliseconds).unref();
  }

  async function lookAgain(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    if (looking) return;
    looking = true;
    try {
      await look();
    } catch {
      return lookLater();
    } finally {
      looking = false;
    }
    away = false;
    onReturn();
    logger.info({ limiter }, 'Redis is back: rate-limit counts are shared again');
  }

  redis.on('ready', () => {
    if (away) void lookAgain();
    else onReturn();
  });

  return {
    get away(): boolean {
      return away;
    },

    /**
     * What `there` gives, on Redis, or what `here` gives while Redis is away. Only those that find it gone wait for it: it
     * is looked for beside those that follow.
     */
    async use<Result>(there: () => Promise<Result>, here: () => Promise<Result>): Promise<Result> {
      if (away) return here();
      try {
        return await there();
      } catch (error) {
        if (isAnswer?.(error)) throw error;
        if (!away) {
          away = true;
          lookLater();
          logger.warn({ limiter, err: error }, 'Redis is away: this process counts by itself');
        }
        return here();
      }
    },
  };
}
