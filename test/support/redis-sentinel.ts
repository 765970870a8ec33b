import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import type { RedisAddress } from '../../server/redis/address.ts';
import { eventually } from './eventually.ts';
import { startRedis } from './redis-process.ts';
import { createServerProcess, run } from './server-process.ts';
import { steadyPort } from './steady-port.ts';

const name = 'advisory';
const password = 'p@ss/word';
const sentinelPassword = 'another+one';

export type WatchedRedis = Awaited<ReturnType<typeof startWatchedRedis>>;

/** A master and its replica in `directory`, and a Sentinel that makes the replica the master where that is gone. */
export async function startWatchedRedis(directory: string) {
  await using opened = new AsyncDisposableStack();
  for (const part of ['master', 'replica', 'sentinel']) await mkdir(join(directory, part));
  const master = await startRedis(join(directory, 'master'), {
    password,
    parameters: ['--repl-diskless-sync-delay', '0'],
  });
  opened.defer(master.stop);
  const replica = await startRedis(join(directory, 'replica'), {
    password,
    parameters: ['--replicaof', '127.0.0.1', String(master.port)],
  });
  opened.defer(replica.stop);
  await eventually(async () => /master_link_status:up/.test(await replica.command('info', 'replication')) || undefined);

  const port = await steadyPort();
  const ask = async (...words: string[]) => {
    const env = { PATH: process.env.PATH, REDISCLI_AUTH: sentinelPassword };
    return (await run('redis-cli', ['-h', '127.0.0.1', '-p', String(port), ...words], { env })).stdout.trim();
  };
  const settings = [
    'bind 127.0.0.1',
    `port ${port}`,
    `sentinel monitor ${name} 127.0.0.1 ${master.port} 1`,
    `sentinel auth-pass ${name} ${password}`,
    `requirepass ${sentinelPassword}`,
    `sentinel down-after-milliseconds ${name} 500`,
    `sentinel failover-timeout ${name} 3000`,
  ];
  await writeFile(join(directory, 'sentinel', 'sentinel.conf'), `${settings.join('\n')}\n`);
  const sentinel = createServerProcess({
    command: 'redis-server',
    parameters: ['sentinel.conf', '--sentinel'],
    spawning: { cwd: join(directory, 'sentinel'), env: { PATH: process.env.PATH } },
    async answers() {
      // It can put the replica into the master's place once it knows of it.
      const found = await ask('sentinel', 'replicas', name);
      if (!found.includes(String(replica.port))) throw new Error(found);
    },
  });
  await sentinel.start();
  opened.defer(() => sentinel.stop('SIGTERM'));

  const parts = opened.move();
  const sentinels = {
    hosts: [{ host: '127.0.0.1', port }],
    tls: false,
    username: undefined,
    password,
    database: 0,
    sentinelUsername: undefined,
    sentinelPassword,
  };
  return {
    master,
    replica,
    address: { kind: 'sentinel', sentinels, name } satisfies RedisAddress,
    /** As `REDIS_SENTINELS` and `REDIS_SENTINEL_NAME` have it. */
    variables: {
      REDIS_SENTINELS: `redis://:${encodeURIComponent(password)}@127.0.0.1:${port}?sentinel_password=${encodeURIComponent(sentinelPassword)}`,
      REDIS_SENTINEL_NAME: name,
    },
    stop: () => parts.disposeAsync(),
  };
}
