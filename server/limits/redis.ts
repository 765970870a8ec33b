import { once } from 'node:events';
import { Redis } from 'ioredis';
import type { Logger } from 'pino';

/** A request waits this long for Redis at most: a frozen server keeps its connections open and never answers. */
const commandTimeoutMilliseconds = 250;

/** A connection that never queues commands and reconnects by itself; the caller copes with its absence. */
export function connectRedis(url: string, logger: Logger): Redis {
  const redis = new Redis(url, {
    commandTimeout: commandTimeoutMilliseconds,
    connectTimeout: 5_000,
    // A server that has vanished without a word is then looked for anew, instead of after TCP's quarter of an hour.
    socketTimeout: 5_000,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(attempt * 100, 2_000),
  });
  // Without a listener an 'error' event ends the process; what it means for the limits is logged by them.
  redis.on('error', (error) => logger.debug({ err: error }, 'Redis connection error'));
  return redis;
}

/** How long a start waits for Redis: without it the first requests would be counted by this process alone. */
const firstConnectionMilliseconds = 2_000;

/** Resolves when Redis can be used, or when it is not worth waiting for any longer. It never rejects. */
export async function firstConnection(redis: Redis): Promise<void> {
  if (redis.status === 'ready') return;
  await once(redis, 'ready', { signal: AbortSignal.timeout(firstConnectionMilliseconds) }).catch(() => undefined);
}
