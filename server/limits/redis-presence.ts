import type { Logger } from 'pino';
import { isKeyFault, type RedisClient, redisFailure } from '../redis/client.ts';

/** While Redis is unavailable, how often it is probed. */
const probeMilliseconds = 1_000;

/** A key whose value has a wrong type is met by every request that needs it: it is logged this often at most. */
const complaintMilliseconds = 60_000;

export type RedisPresence = ReturnType<typeof createRedisPresence>;

type Use<Result> = {
  /** Counts on Redis. */
  shared: () => Promise<Result>;
  /** Counts in this process. */
  local: () => Promise<Result>;
  /** Rejects while Redis cannot do what `shared` asks of it, and counts nothing. */
  probe: () => Promise<unknown>;
};

/**
 * Whether Redis counts, for all limits of this process. It is away from the first use that fails until the probe of that
 * use succeeds. The probes go on whether or not requests come, and no request waits for them. A fault of one key concerns
 * only the requests that need this key: they are counted in this process.
 */
export function createRedisPresence(redis: RedisClient, logger: Logger) {
  let away = false;
  let complainedAt = -Infinity;

  function probeLater(probe: () => Promise<unknown>): void {
    setTimeout(async () => {
      try {
        await probe();
      } catch (error) {
        if (!isKeyFault(error)) {
          // A connection that was closed for good has ended: the process stops.
          if (redis.status !== 'end') probeLater(probe);
          return;
        }
      }
      away = false;
      logger.info('Redis available again; limits are shared');
    }, probeMilliseconds).unref();
  }

  function complainOfKey(error: unknown): void {
    if (performance.now() - complainedAt < complaintMilliseconds) return;
    complainedAt = performance.now();
    logger.warn({ err: error }, 'a Redis key has a value of the wrong type; its requests are counted per process');
  }

  return {
    redis,

    get away(): boolean {
      return away;
    },

    /** Gives what `shared` gives, or what `local` gives while Redis is away or if the key cannot be used. */
    async use<Result>({ shared, local, probe }: Use<Result>): Promise<Result> {
      if (away) return local();
      try {
        return await shared();
      } catch (error) {
        if (isKeyFault(error)) complainOfKey(error);
        else if (!away) {
          away = true;
          const cause = redisFailure(error) ?? 'unknown cause';
          logger.warn({ err: error }, `Redis unavailable (${cause}); limits are counted per process`);
          probeLater(probe);
        }
        return local();
      }
    },
  };
}
