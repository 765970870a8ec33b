import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Redis, RedisOptions } from 'ioredis';
import { pino } from 'pino';
import type { RedisAddress } from '../../server/redis/address.ts';
import { connectRedis, type RedisClient } from '../../server/redis/client.ts';
import { atEndOfRun } from './end-of-run.ts';
import { eventually } from './eventually.ts';
import { freePort } from './served-process.ts';
import { testRedisUrl } from './services.ts';

let started: Promise<{ process: ChildProcess; url: string }> | undefined;

/** The address of a Redis: on the server that `TEST_REDIS_URL` names, else a Valkey on this machine, one for all tests. */
export async function testRedis(): Promise<string> {
  if (testRedisUrl !== undefined) return testRedisUrl;
  started ??= startValkey();
  return (await started).url;
}

const silent = pino({ level: 'silent' });
const longTimeouts = { commandTimeout: 20_000, socketTimeout: 20_000 } satisfies RedisOptions;

/**
 * A connection as the product makes it, ready for use, but with more patience: the product gives a command up after a
 * quarter of a second, and on a busy machine tests of the shared counts would then see it count by itself.
 */
export async function connectTestRedis(): Promise<Redis> {
  const redis = connectRedis({ kind: 'server', url: await testRedis() }, silent);
  Object.assign(redis.options, longTimeouts);
  await ready(redis);
  return redis;
}

/** The same to another Redis than that of the tests. */
export async function connectPatiently(address: RedisAddress): Promise<RedisClient> {
  const redis = connectRedis(address, silent);
  if (redis.isCluster) redis.on('+node', (node: Redis) => Object.assign(node.options, longTimeouts));
  else Object.assign(redis.options, longTimeouts);
  await ready(redis);
  return redis;
}

async function ready(redis: RedisClient): Promise<void> {
  await eventually(() => (redis.status === 'ready' ? true : undefined));
}

/** Valkey is the free continuation of Redis. In a process of its own, what it logs stays there. */
async function startValkey() {
  const port = await freePort();
  const process = fork(fileURLToPath(new URL('valkey-process.ts', import.meta.url)), [String(port)], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await Promise.race([once(process, 'message'), diedEarly(process)]);
  return { process, url: `redis://127.0.0.1:${port}` };
}

async function diedEarly(process: ChildProcess): Promise<never> {
  const [code] = await once(process, 'exit');
  throw new Error(`Valkey ended with ${code} before it listened.`);
}

atEndOfRun(async () => {
  if (started === undefined) return;
  const { process } = await started;
  const gone = once(process, 'exit');
  process.disconnect();
  await gone;
});
