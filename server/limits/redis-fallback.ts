import type { Logger } from 'pino';
import { isKeyError, type RedisClient, redisFailure } from '../redis/redis-client.ts';

const probeIntervalMilliseconds = 1_000;

/** Throttles the warning about a key of the wrong type, which each request for that key would repeat. */
const warningIntervalMilliseconds = 60_000;

export type RedisFallback = ReturnType<typeof createRedisFallback>;

type Operation<Result> = {
  shared: () => Promise<Result>;
  local: () => Promise<Result>;
  /** Rejects while `shared` would fail. Counts nothing. */
  probe: () => Promise<unknown>;
};

/**
 * Switches all limits of this process from Redis to local counts. The fallback is active from the first operation that
 * fails until the probe of that operation succeeds. Probes run on a timer, so no request waits for one. A key of the wrong type
 * does not activate the fallback: only the requests for this key are counted locally.
 */
export function createRedisFallback(redis: RedisClient, logger: Logger) {
  let failure: { error: unknown } | undefined;
  let warnedAt = -Infinity;

  function scheduleProbe(probe: () => Promise<unknown>): void {
    setTimeout(async () => {
      try {
        await probe();
      } catch (error) {
        if (!isKeyError(error)) {
          // The status is `end` only after a shutdown closed the connection.
          if (redis.status !== 'end') scheduleProbe(probe);
          return;
        }
      }
      failure = undefined;
      logger.info('Redis available again; limits are shared');
    }, probeIntervalMilliseconds).unref();
  }

  function warnOfKey(error: unknown): void {
    if (performance.now() - warnedAt < warningIntervalMilliseconds) return;
    warnedAt = performance.now();
    logger.warn({ err: error }, 'a Redis key has a value of the wrong type; its requests are counted per process');
  }

  return {
    redis,

    get isActive(): boolean {
      return failure !== undefined;
    },

    requireInactive(): void {
      if (failure !== undefined) throw failure.error;
    },

    /** Runs `shared`, or `local` while Redis is unavailable or if the value of the key has the wrong type. */
    async run<Result>({ shared, local, probe }: Operation<Result>): Promise<Result> {
      if (failure !== undefined) return local();
      try {
        return await shared();
      } catch (error) {
        if (isKeyError(error)) warnOfKey(error);
        else if (failure === undefined) {
          failure = { error };
          const cause = redisFailure(error) ?? 'unknown cause';
          logger.warn({ err: error }, `Redis unavailable (${cause}); limits are counted per process`);
          scheduleProbe(probe);
        }
        return local();
      }
    },
  };
}
