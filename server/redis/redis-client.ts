import { once } from 'node:events';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import type { Logger } from 'pino';
import { clockAheadMilliseconds } from '../clock-difference.ts';
import type { RedisAddress, RedisServers } from './redis-address.ts';

export type RedisClient = Redis | Cluster;

const retryMilliseconds = (attempt: number) => Math.min(attempt * 100, 2_000);

const options = {
  // Bounds how long a request waits for a frozen server, which keeps its connections open and never responds.
  commandTimeout: 250,
  connectTimeout: 5_000,
  // Detects a server that disappeared without closing the connection; TCP would take fifteen minutes.
  socketTimeout: 5_000,
  autoResendUnfulfilledCommands: false,
} satisfies RedisOptions;

const singleServerOptions = {
  ...options,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  retryStrategy: retryMilliseconds,
} satisfies RedisOptions;

const connectionErrors = new WeakMap<RedisClient, unknown>();

/**
 * Returns immediately and connects in the background. Reconnects after a connection loss, and to the new master after a
 * failover. The client can only be used while its status is `ready`: see `requireReady`.
 */
export function connectRedis(address: Exclude<RedisAddress, { kind: 'cluster' }>, logger: Logger): Redis;
export function connectRedis(address: RedisAddress, logger: Logger): RedisClient;
export function connectRedis(address: RedisAddress, logger: Logger): RedisClient {
  const redis = open(address);
  // Without a listener, ioredis would print the errors to stderr. The limits log when they switch to local counts.
  redis.on('error', (error) => {
    connectionErrors.set(redis, error);
    logger.debug({ err: error }, 'Redis connection error');
  });
  redis.on('ready', () => connectionErrors.delete(redis));
  return redis;
}

function open(address: RedisAddress): RedisClient {
  switch (address.kind) {
    case 'server': {
      const { host, port, database } = address.server;
      return new Redis({ ...singleServerOptions, ...loginOf(address.server), host, port, db: database });
    }
    case 'sentinel': {
      const { hosts, database, tls, sentinelUsername, sentinelPassword } = address.sentinels;
      return new Redis({
        ...singleServerOptions,
        ...loginOf(address.sentinels),
        sentinels: [...hosts],
        name: address.name,
        db: database,
        ...(sentinelUsername !== undefined && { sentinelUsername }),
        ...(sentinelPassword !== undefined && { sentinelPassword }),
        ...(tls && { sentinelTLS: {}, enableTLSForSentinelMode: true }),
        // A frozen Sentinel must not prevent the client from asking the others.
        sentinelCommandTimeout: 1_000,
        sentinelRetryStrategy: retryMilliseconds,
      });
    }
    case 'cluster': {
      const { hosts, tls } = address.nodes;
      return new Cluster([...hosts], {
        redisOptions: { ...options, ...loginOf(address.nodes) },
        clusterRetryStrategy: retryMilliseconds,
        // During a failover, requests are counted in this process instead of waiting for the new master.
        retryDelayOnFailover: 0,
        retryDelayOnClusterDown: 0,
        // The client would otherwise replace host names with addresses, which the certificates do not include.
        ...(tls && { dnsLookup: (host, callback) => callback(null, host) }),
      });
    }
  }
}

function loginOf({ tls, username, password }: Pick<RedisServers, 'tls' | 'username' | 'password'>) {
  return {
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(tls && { tls: {} }),
  };
}

/**
 * Prevents a cluster client from queueing a command until it is connected.
 * @throws Error while there is no connection, with the reason as its cause
 */
export function requireReady(redis: RedisClient): void {
  if (redis.status !== 'ready') {
    throw new Error('There is no connection to Redis.', { cause: connectionErrors.get(redis) });
  }
}

/** Errors that Redis reports about the value of one key, including from within a script. All other keys can be used. */
const keyErrors = /\bWRONGTYPE\b|value is not an integer|would overflow/;

export function isKeyError(error: unknown): boolean {
  return error instanceof Error && error.name === 'ReplyError' && keyErrors.test(error.message);
}

/** Descriptions of the errors without a code, of `ioredis` and of `requireReady`. */
const failuresWithoutCode: readonly [RegExp, string][] = [
  [/^There is no connection/, 'no connection'],
  [/^Command timed out/, 'timeout'],
  [/^Connection is closed|^Socket timeout/, 'connection closed'],
  [/^All sentinels are unreachable/, 'no Sentinel returned a master'],
];

/** Returns Node's error code, Redis' error prefix (such as `OOM`) or a description; undefined for an unknown error. */
export function redisFailure(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const rootCause = error.cause ?? ('lastNodeError' in error ? error.lastNodeError : undefined);
  const { message } = error;
  const own =
    error.name === 'ReplyError'
      ? /^[A-Z]{2,16}(?= )/.exec(message)?.[0]
      : 'code' in error && typeof error.code === 'string'
        ? error.code
        : failuresWithoutCode.find(([form]) => form.test(message))?.[1];
  return redisFailure(rootCause) ?? own;
}

/** Startup waits at most this long for Redis, because earlier requests would be counted per process. */
const startUpTimeoutMilliseconds = 2_000;

/** Resolves when Redis is connected, when a connection attempt fails, or on timeout. Never rejects. */
export async function waitForConnection(redis: RedisClient): Promise<void> {
  if (redis.status === 'ready') return;
  await once(redis, 'ready', { signal: AbortSignal.timeout(startUpTimeoutMilliseconds) }).catch(() => undefined);
}

const allSlots = '16384';

/**
 * Resolves if the server responds and serves every key. A ping would not be enough: a single node of a cluster responds to it and
 * refuses the keys of other nodes. Without the right to `CLUSTER INFO`, a server counts as one outside a cluster.
 * @throws Error with a message for the operator
 */
export async function requireUsable(redis: RedisClient): Promise<void> {
  requireReady(redis);
  await redis.ping();
  if (redis instanceof Cluster) {
    const state = parseClusterInfo(await redis.cluster('INFO'));
    if (state.get('cluster_state') !== 'ok' || state.get('cluster_slots_ok') !== allSlots) {
      const sentence = 'The cluster does not serve all of its slots. Check CLUSTER INFO and CLUSTER NODES';
      throw Object.assign(new Error(sentence), { code: 'CLUSTERDOWN' });
    }
  } else {
    // The command fails on a server outside a cluster. A cluster of one node owns all keys.
    const state = await redis.cluster('INFO').then(parseClusterInfo, () => undefined);
    if (Number(state?.get('cluster_size') ?? 0) > 1) {
      const sentence = 'The server is a node of a Redis Cluster. Set REDIS_CLUSTER to some of its nodes instead';
      throw Object.assign(new Error(sentence), { code: 'CLUSTER_NODE' });
    }
  }
}

/** Returns how far Redis' clock is ahead. Rejects as `requireUsable` does. */
export async function pingRedis(redis: RedisClient): Promise<{ clockAheadSeconds: number }> {
  await requireUsable(redis);
  const requestedAt = Date.now();
  const [seconds = 0, microseconds = 0] = (await redis.time()).map(Number);
  const otherClock = seconds * 1000 + microseconds / 1000;
  return { clockAheadSeconds: clockAheadMilliseconds({ requestedAt, otherClock, respondedAt: Date.now() }) / 1000 };
}

function parseClusterInfo(text: unknown): Map<string, string> {
  const lines = String(text)
    .split('\r\n')
    .map((line) => line.split(':'));
  return new Map(lines.map(([name = '', value = '']) => [name, value]));
}
