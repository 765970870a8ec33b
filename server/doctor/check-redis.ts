import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Cluster } from 'ioredis';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { RedisWindow } from '../limits/redis-window.ts';
import type { RedisAddress } from '../redis/address.ts';
import { connectRedis, type RedisClient } from '../redis/client.ts';
import { requireUsable } from '../redis/state.ts';
import { type Finding, findingsOn, reasonOf } from './finding.ts';

const { ok, failed, skipped } = findingsOn('Redis');

const patienceMilliseconds = 5_000;

/** As many keys are most likely on every node of a cluster. */
const keysToCount = 32;

const variables: Record<RedisAddress['kind'], string> = {
  server: 'REDIS_URL',
  sentinel: 'REDIS_SENTINELS and REDIS_SENTINEL_NAME',
  cluster: 'REDIS_CLUSTER',
};

/** Whether Redis answers and counts: the limits' own script is run on keys of this check's own. */
export async function checkRedis({ redis: address }: Pick<Config, 'redis'>, logger: Logger): Promise<Finding[]> {
  if (address === undefined) return [skipped('REDIS_URL is not set: each process counts by itself.')];
  const redis = connectRedis(address, logger);
  try {
    await once(redis, 'ready', { signal: AbortSignal.timeout(patienceMilliseconds) });
    const milliseconds = await timePing(redis);
    await requireUsable(redis);
    const window = new RedisWindow({ redis, points: 1, duration: 1, keyPrefix: 'advisory-chat:doctor' });
    const keys = Array.from({ length: keysToCount }, () => randomUUID());
    await Promise.all(keys.map((key) => window.step(key, 1, key)));
    await Promise.all(keys.map((key) => window.delete(key)));
    return [ok(`${nameOf(redis, address)} answers in ${milliseconds} ms, and counts.`)];
  } catch (error) {
    const check = `Check ${variables[address.kind]}, and that its user may run scripts (EVAL, EVALSHA).`;
    return [failed(`${reasonOf(nodeErrorOf(error))}. ${check}`)];
  } finally {
    redis.disconnect();
  }
}

/** Where no node of a cluster will do, what the last one said. */
function nodeErrorOf(error: unknown): unknown {
  return error instanceof Error && 'lastNodeError' in error ? (error.lastNodeError ?? error) : error;
}

function nameOf(redis: RedisClient, { kind }: RedisAddress): string {
  if (redis instanceof Cluster) return `A cluster of ${redis.nodes('master').length} masters`;
  return kind === 'sentinel' ? 'The master' : 'It';
}

async function timePing(redis: RedisClient): Promise<number> {
  const startedAt = performance.now();
  await redis.ping();
  return Math.round(performance.now() - startedAt);
}
