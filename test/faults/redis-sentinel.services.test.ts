import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { loadConfig } from '../../server/config/config.ts';
import type { RedisAddress } from '../../server/redis/redis-address.ts';
import { requireUsable } from '../../server/redis/redis-client.ts';
import { eventually } from '../support/eventually.ts';
import { findNonEphemeralPort } from '../support/non-ephemeral-port.ts';
import { perSuite } from '../support/per-suite.ts';
import { startRedis } from '../support/redis-process.ts';
import { temporaryDirectory } from '../support/served-process.ts';
import { createServerProcess, run } from '../support/server-process.ts';
import { connectWithLongTimeouts } from '../support/test-redis.ts';
import { askDemo, createInstances, findingOf, sendInSequence, untilReconnected } from './redis-instances.ts';

const name = 'advisory';
const password = 'p@ss/word';
const sentinelPassword = 'another+one';

/** Starts a master, its replica and a Sentinel, which promotes the replica if the master fails. */
async function startRedisWithSentinel(directory: string) {
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

  const port = await findNonEphemeralPort();
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
    async probe() {
      // Sentinel can promote the replica only once it has discovered the replica.
      const replicas = await ask('sentinel', 'replicas', name);
      if (!replicas.includes(String(replica.port))) throw new Error(replicas);
    },
  });
  await sentinel.start();
  opened.defer(() => sentinel.stop('SIGTERM'));

  const parts = opened.move();
  const { redis: address } = loadConfig({
    REDIS_SENTINELS: `redis://:${encodeURIComponent(password)}@127.0.0.1:${port}?sentinel_password=${encodeURIComponent(sentinelPassword)}`,
    REDIS_SENTINEL_NAME: name,
  });
  return { master, replica, address: address as RedisAddress, stop: () => parts.disposeAsync() };
}

describe('Redis behind Sentinel', () => {
  const files = perSuite(() => temporaryDirectory());
  const redis = perSuite(() => startRedisWithSentinel(files.path));
  const instances = perSuite(() =>
    createInstances(2, () => connectWithLongTimeouts(redis.address), { limits: { demo: 3 } }),
  );

  it('is used for counts, and passes doctor and the status probe', async () => {
    expect(await findingOf(redis.address)).to.match(/^ok: The master responds in \d+ ms and counts requests\.$/);
    for (const redis of instances.redis) await requireUsable(redis);
    const address = randomUUID();
    for (const app of instances.apps) await sendInSequence(1, () => askDemo(app, address));
    expect(await redis.master.command('zcard', `advisory-chat:limit:demo:${address}`)).to.equal('2');
  });

  it('keeps its counts across a failover to the replica', async () => {
    const [before, meanwhile] = [randomUUID(), randomUUID()];
    const [first, second] = instances.apps;
    expect(await sendInSequence(2, () => askDemo(first, before))).to.deep.equal([200, 200]);
    await redis.master.command('wait', '1', '5000');
    await redis.master.crash();
    for (const app of instances.apps)
      expect(await sendInSequence(4, () => askDemo(app, meanwhile))).to.deep.equal([200, 200, 200, 429]);

    await untilReconnected(instances.apps);
    expect(await sendInSequence(2, () => askDemo(second, before))).to.deep.equal([200, 429]);
    expect(await sendInSequence(1, () => askDemo(first, before))).to.deep.equal([429]);
    expect(await redis.replica.command('zcard', `advisory-chat:limit:demo:${before}`)).to.equal('3');
    expect(await findingOf(redis.address)).to.match(/^ok: The master responds/);
  });
});
