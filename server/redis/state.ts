import { Cluster } from 'ioredis';
import { type RedisClient, requireReady } from './client.ts';

const allSlots = '16384';

/**
 * Resolves where the shared counts can be kept for every key. A ping alone would not tell: one node of a cluster answers it
 * and refuses the keys of the others.
 * @throws Error whose sentence says what is wrong
 */
export async function requireUsable(redis: RedisClient): Promise<void> {
  requireReady(redis);
  await redis.ping();
  if (redis instanceof Cluster) {
    const state = readState(await redis.cluster('INFO'));
    if (state.get('cluster_state') !== 'ok' || state.get('cluster_slots_ok') !== allSlots) {
      throw new Error('The cluster does not serve all of its slots. Look at CLUSTER INFO and CLUSTER NODES');
    }
  } else {
    // A server outside a cluster refuses this. A cluster of one node has all keys.
    const state = await redis.cluster('INFO').then(readState, () => undefined);
    if (Number(state?.get('cluster_size') ?? 0) > 1) {
      throw new Error('It is one node of a Redis Cluster. Name some of its nodes in REDIS_CLUSTER instead');
    }
  }
}

/** What `CLUSTER INFO` says, by name. */
function readState(text: unknown): Map<string, string> {
  const lines = String(text)
    .split('\r\n')
    .map((line) => line.split(':'));
  return new Map(lines.map(([name = '', value = '']) => [name, value]));
}
