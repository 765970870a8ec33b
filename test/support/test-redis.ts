import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Redis, RedisOptions } from 'ioredis';
import { pino } from 'pino';
import { type RedisAddress, readRedisServer } from '../../server/redis/redis-address.ts';
import { connectRedis, type RedisClient } from '../../server/redis/redis-client.ts';
import { atEndOfRun } from './end-of-run.ts';
import { eventually } from './eventually.ts';
import { findNonEphemeralPort } from './non-ephemeral-port.ts';
import { testRedisUrl } from './services.ts';

let valkey: Promise<{ process: ChildProcess; url: string }> | undefined;

/** Returns the URL of the Redis that tests share: the server of `TEST_REDIS_URL` if that is set, else this process's Valkey. */
export async function sharedRedisUrl(): Promise<string> {
  if (testRedisUrl !== undefined) return testRedisUrl;
  valkey ??= startValkey();
  return (await valkey).url;
}

/** Returns the parsed address of one server. */
export function redisAt(url: string): Extract<RedisAddress, { kind: 'server' }> {
  const server = readRedisServer(url);
  if (server === undefined) throw new Error('The address of the test Redis is malformed.');
  return { kind: 'server', server };
}

const silent = pino({ level: 'silent' });
const longTimeouts = { commandTimeout: 20_000, socketTimeout: 20_000 } satisfies RedisOptions;

/**
 * Opens a connection with the product's options but longer timeouts. The product gives up a command after 250 ms, after
 * which it counts locally, so tests of the shared counts would fail on a busy machine.
 */
export async function connectTestRedis(): Promise<Redis> {
  return (await connectWithLongTimeouts(redisAt(await sharedRedisUrl()))) as Redis;
}

export async function connectWithLongTimeouts(address: RedisAddress): Promise<RedisClient> {
  const redis = connectRedis(address, silent);
  if (redis.isCluster) redis.on('+node', (node: Redis) => Object.assign(node.options, longTimeouts));
  else Object.assign(redis.options, longTimeouts);
  await eventually(() => (redis.status === 'ready' ? true : undefined));
  return redis;
}

/** Valkey is the open-source fork of Redis. It runs in a child process, whose standard output is ignored. */
async function startValkey() {
  const port = await findNonEphemeralPort();
  const process = fork(fileURLToPath(new URL('valkey-process.ts', import.meta.url)), [String(port)], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await Promise.race([once(process, 'message'), diedEarly(process)]);
  return { process, url: `redis://127.0.0.1:${port}` };
}

async function diedEarly(process: ChildProcess): Promise<never> {
  const [code] = await once(process, 'exit');
  throw new Error(`Valkey exited with ${code} before it listened.`);
}

atEndOfRun(async () => {
  if (valkey === undefined) return;
  const { process } = await valkey;
  const exited = once(process, 'exit');
  process.disconnect();
  await exited;
});
