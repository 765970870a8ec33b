import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Redis } from 'ioredis';
import { after } from 'mocha';
import { pino } from 'pino';
import { connectRedis } from '../../server/limits/redis.ts';
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

/**
 * A connection as the product makes it, ready for use, but with more patience: the product gives a command up after a
 * quarter of a second, and on a busy machine tests of the shared counts would then see it count by itself.
 */
export async function connectTestRedis(): Promise<Redis> {
  const redis = connectRedis(await testRedis(), pino({ level: 'silent' }));
  Object.assign(redis.options, { commandTimeout: 20_000, socketTimeout: 20_000 });
  await eventually(() => (redis.status === 'ready' ? true : undefined));
  return redis;
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

after(async () => {
  if (started === undefined) return;
  const { process } = await started;
  const gone = once(process, 'exit');
  process.disconnect();
  await gone;
});
