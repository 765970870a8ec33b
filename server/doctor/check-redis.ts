import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { connectRedis } from '../limits/redis.ts';
import { createRedisWindow } from '../limits/redis-window.ts';
import { type Finding, findingsOn, reasonOf } from './finding.ts';

const { ok, failed, skipped } = findingsOn('Redis');

const patienceMilliseconds = 5_000;

/** Whether Redis answers and counts: the limits' own script is run on a key of this check's own. */
export async function checkRedis({ redisUrl }: Config, logger: Logger): Promise<Finding[]> {
  if (redisUrl === undefined) return [skipped('REDIS_URL is not set: each process counts by itself.')];
  const redis = connectRedis(redisUrl, logger);
  try {
    await once(redis, 'ready', { signal: AbortSignal.timeout(patienceMilliseconds) });
    const milliseconds = await timePing(redis);
    const window = createRedisWindow({ redis, points: 1, duration: 1, keyPrefix: 'advisory-chat:doctor' });
    const key = randomUUID();
    await window.consume(key);
    await window.delete(key);
    return [ok(`It answers in ${milliseconds} ms, and counts.`)];
  } catch (error) {
    return [failed(`${reasonOf(error)}. Check REDIS_URL, and that its user may run scripts (EVAL, EVALSHA).`)];
  } finally {
    redis.disconnect();
  }
}

async function timePing(redis: Redis): Promise<number> {
  const startedAt = performance.now();
  await redis.ping();
  return Math.round(performance.now() - startedAt);
}
