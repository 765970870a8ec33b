import { once } from 'node:events';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import type { Logger } from 'pino';
import { clockAheadMilliseconds } from '../clock-difference.ts';
import type { RedisAddress, RedisServers } from './address.ts';

/** One server, the master behind Sentinels, or a cluster. */
export type RedisClient = Redis | Cluster;

const retryMilliseconds = (attempt: number) => Math.min(attempt * 100, 2_000);

const options = {
  // A request waits this long for Redis at most: a frozen server keeps its connections open and never answers.
  commandTimeout: 250,
  connectTimeout: 5_000,
  // A server that has vanished without a word is then looked for anew, instead of after TCP's quarter of an hour.
  socketTimeout: 5_000,
  autoResendUnfulfilledCommands: false,
} satisfies RedisOptions;

const ownConnection = {
  ...options,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  retryStrategy: retryMilliseconds,
} satisfies RedisOptions;

/** Why each connection could not be made or has failed, until it is ready again. */
const connectionErrors = new WeakMap<RedisClient, unknown>();

/**
 * A connection that reconnects by itself, after a failover to the new master; the caller copes with its absence. It is to
 * be used only while its status is `ready`: see `requireReady`.
 */
export function connectRedis(address: Exclude<RedisAddress, { kind: 'cluster' }>, logger: Logger): Redis;
export function connectRedis(address: RedisAddress, logger: Logger): RedisClient;
export function connectRedis(address: RedisAddress, logger: Logger): RedisClient {
  const redis = open(address);
  // Without a listener an 'error' event ends the process; what it means for the limits is logged by them.
  redis.on('error', (error) => {
    connectionErrors.set(redis, error);
    logger.debug({ err: error }, 'Redis connection error');
  });
  redis.on('ready', () => connectionErrors.delete(redis));
  return redis;
}

function open(address: RedisAddress): RedisClient {
  switch (address.kind) {
    case 'server':
      return new Redis(address.url, ownConnection);
    case 'sentinel': {
      const { hosts, database, tls, sentinelUsername, sentinelPassword } = address.sentinels;
      return new Redis({
        ...ownConnection,
        ...loginOf(address.sentinels),
        sentinels: [...hosts],
        name: address.name,
        db: database,
        ...(sentinelUsername !== undefined && { sentinelUsername }),
        ...(sentinelPassword !== undefined && { sentinelPassword }),
        ...(tls && { sentinelTLS: {}, enableTLSForSentinelMode: true }),
        // A Sentinel that is frozen must not keep the others from being asked.
        sentinelCommandTimeout: 1_000,
        sentinelRetryStrategy: retryMilliseconds,
      });
    }
    case 'cluster': {
      const { hosts, tls } = address.nodes;
      return new Cluster([...hosts], {
        redisOptions: { ...options, ...loginOf(address.nodes) },
        clusterRetryStrategy: retryMilliseconds,
        // A request does not wait until a node that is gone has a successor: it is counted here meanwhile.
        retryDelayOnFailover: 0,
        retryDelayOnClusterDown: 0,
        // A certificate has names, which the client would replace by addresses.
        ...(tls && { dnsLookup: (host, callback) => callback(null, host) }),
      });
    }
  }
}

function loginOf({ tls, username, password }: RedisServers) {
  return {
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(tls && { tls: {} }),
  };
}

/**
 * A cluster's client would keep a command until it has a connection.
 * @throws Error while there is no connection, with the reason as its cause
 */
export function requireReady(redis: RedisClient): void {
  if (redis.status !== 'ready') {
    throw new Error('There is no connection to Redis.', { cause: connectionErrors.get(redis) });
  }
}

/** What Redis says of the value of one key, also from within a script. Any other key can be used. */
const keyFaults = /\bWRONGTYPE\b|value is not an integer|would overflow/;

/** Whether Redis works and only the value of one key cannot be used. */
export function isKeyFault(error: unknown): boolean {
  return error instanceof Error && error.name === 'ReplyError' && keyFaults.test(error.message);
}

/** `ioredis` has no codes for these. */
const failuresWithoutCode: readonly [RegExp, string][] = [
  [/^There is no connection/, 'no connection'],
  [/^Command timed out/, 'no answer in time'],
  [/^Connection is closed|^Socket timeout/, 'connection closed'],
  [/^All sentinels are unreachable/, 'no Sentinel names a master'],
];

/** Names the cause of a failure: Node's code, or the first word of a refusal, such as `OOM`. Undefined if it is unknown. */
export function redisFailure(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const deeper = error.cause ?? ('lastNodeError' in error ? error.lastNodeError : undefined);
  const { message } = error;
  const own =
    error.name === 'ReplyError'
      ? /^[A-Z]{2,16}(?= )/.exec(message)?.[0]
      : 'code' in error && typeof error.code === 'string'
        ? error.code
        : failuresWithoutCode.find(([form]) => form.test(message))?.[1];
  return redisFailure(deeper) ?? own;
}

/** How long a start waits for Redis: without it the first requests would be counted by this process alone. */
const firstConnectionMilliseconds = 2_000;

/** Resolves when Redis can be used, or when it is not worth waiting for any longer. It never rejects. */
export async function firstConnection(redis: RedisClient): Promise<void> {
  if (redis.status === 'ready') return;
  await once(redis, 'ready', { signal: AbortSignal.timeout(firstConnectionMilliseconds) }).catch(() => undefined);
}

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
      const sentence = 'The cluster does not serve all of its slots. Look at CLUSTER INFO and CLUSTER NODES';
      throw Object.assign(new Error(sentence), { code: 'CLUSTERDOWN' });
    }
  } else {
    // A server outside a cluster refuses this. A cluster of one node has all keys.
    const state = await redis.cluster('INFO').then(readState, () => undefined);
    if (Number(state?.get('cluster_size') ?? 0) > 1) {
      const sentence = 'It is one node of a Redis Cluster. Name some of its nodes in REDIS_CLUSTER instead';
      throw Object.assign(new Error(sentence), { code: 'CLUSTER_NODE' });
    }
  }
}

/** Gives by how many seconds this process' clock is ahead of Redis'. Rejects as `requireUsable` does. */
export async function pingRedis(redis: RedisClient): Promise<number> {
  await requireUsable(redis);
  const askedAt = Date.now();
  const [seconds = 0, microseconds = 0] = (await redis.time()).map(Number);
  return (
    clockAheadMilliseconds({ askedAt, other: seconds * 1000 + microseconds / 1000, answeredAt: Date.now() }) / 1000
  );
}

/** What `CLUSTER INFO` says, by name. */
function readState(text: unknown): Map<string, string> {
  const lines = String(text)
    .split('\r\n')
    .map((line) => line.split(':'));
  return new Map(lines.map(([name = '', value = '']) => [name, value]));
}
