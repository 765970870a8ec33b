import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pino } from 'pino';
import { loadConfig } from '../../server/config/config.ts';
import { checkRedis } from '../../server/doctor/checks.ts';
import type { RedisAddress } from '../../server/redis/address.ts';
import { requireUsable } from '../../server/redis/client.ts';
import { eventually } from '../support/eventually.ts';
import { findNonEphemeralPort } from '../support/non-ephemeral-port.ts';
import { ofSuite } from '../support/of-suite.ts';
import { startRedis } from '../support/redis-process.ts';
import { temporaryDirectory } from '../support/served-process.ts';
import { createServerProcess, run } from '../support/server-process.ts';
import { connectWithLongTimeouts } from '../support/test-redis.ts';
import { createInstances, demo, found, statuses } from './redis-instances.ts';

const name = 'advisory';
const password = 'p@ss/word';
const sentinelPassword = 'another+one';

/** A master and its replica in `directory`, and a Sentinel that makes the replica the master where that is gone. */
async function startWatchedRedis(directory: string) {
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
      // It can put the replica into the master's place once it knows of it.
      const found = await ask('sentinel', 'replicas', name);
      if (!found.includes(String(replica.port))) throw new Error(found);
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

const silent = pino({ level: 'silent' });

describe('Redis behind Sentinel', function () {
  this.timeout(60_000);

  const files = ofSuite(() => temporaryDirectory());
  const watched = ofSuite(() => startWatchedRedis(files.path));
  const instances = ofSuite(() =>
    createInstances(2, () => connectWithLongTimeouts(watched.address), { limits: { demo: 3 } }),
  );

  it('is found and counts, for the doctor and the status too', async () => {
    const [finding] = await checkRedis({ redis: watched.address }, silent);
    expect(finding?.text).to.match(/^The master answers in \d+ ms, and counts\.$/);
    for (const redis of instances.redis) await requireUsable(redis);
    const address = randomUUID();
    for (const app of instances.apps) await statuses(1, () => demo(app, address));
    expect(await watched.master.command('zcard', `advisory-chat:limit:demo:${address}`)).to.equal('2');
  });

  it('is the replica after a failover: what was counted before counts there, and what comes', async () => {
    const [before, meanwhile] = [randomUUID(), randomUUID()];
    const [here, there] = instances.apps;
    expect(await statuses(2, () => demo(here, before))).to.deep.equal([200, 200]);
    await watched.master.command('wait', '1', '5000');
    await watched.master.crash();
    for (const app of instances.apps)
      expect(await statuses(4, () => demo(app, meanwhile))).to.deep.equal([200, 200, 200, 429]);

    await found(instances.apps);
    expect(await statuses(2, () => demo(there, before))).to.deep.equal([200, 429]);
    expect(await statuses(1, () => demo(here, before))).to.deep.equal([429]);
    expect(await watched.replica.command('zcard', `advisory-chat:limit:demo:${before}`)).to.equal('3');
    const [finding] = await checkRedis({ redis: watched.address }, silent);
    expect(finding?.outcome).to.equal('ok');
  });
});
