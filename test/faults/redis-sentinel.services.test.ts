import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { pino } from 'pino';
import { loadConfig } from '../../server/config/config.ts';
import { checkRedis } from '../../server/doctor/check-redis.ts';
import type { RedisAddress } from '../../server/redis/address.ts';
import type { RedisClient } from '../../server/redis/client.ts';
import { requireUsable } from '../../server/redis/state.ts';
import { eventually } from '../support/eventually.ts';
import { startRedis } from '../support/redis-process.ts';
import { temporaryDirectory } from '../support/served-process.ts';
import { createServerProcess, run } from '../support/server-process.ts';
import { steadyPort } from '../support/steady-port.ts';
import { createTestApp, question, type TestApp } from '../support/test-app.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { connectPatiently } from '../support/test-redis.ts';

const name = 'advisory';
const password = 'p@ss/word';
const sentinelPassword = 'another+one';

type WatchedRedis = Awaited<ReturnType<typeof startWatchedRedis>>;

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

const silent = pino({ level: 'silent' });
const back = 'Redis is back: rate-limit counts are shared again';

describe('Redis behind Sentinel', function () {
  this.timeout(60_000);
  let files: Awaited<ReturnType<typeof temporaryDirectory>>;
  let watched: WatchedRedis;
  let storage: TestDatabase;
  const instances: { redis: RedisClient; app: TestApp }[] = [];

  before(async () => {
    files = await temporaryDirectory();
    watched = await startWatchedRedis(files.path);
    storage = await createTestDatabase();
    for (const _ of ['here', 'there']) {
      const { redis: address } = loadConfig(watched.variables);
      if (address === undefined) throw new Error('There is an address.');
      const redis = await connectPatiently(address);
      instances.push({ redis, app: await createTestApp({ shared: { storage }, redis, limits: { demo: 3 } }) });
    }
  });
  after(async () => {
    for (const { redis, app } of instances) {
      await app.close();
      redis.disconnect();
    }
    await storage.close();
    await watched.stop();
    await files.remove();
  });

  const apps = () => instances.map(({ app }) => app);

  async function statuses(app: TestApp, address: string, count: number): Promise<number[]> {
    const found: number[] = [];
    for (let sent = 0; sent < count; sent += 1) {
      const response = await app.demo(question(), { 'X-Forwarded-For': address });
      await response.text();
      found.push(response.status);
    }
    return found;
  }

  it('is found and counts, for the doctor and the status too', async () => {
    const [finding] = await checkRedis({ redis: watched.address }, silent);
    expect(finding?.text).to.match(/^The master answers in \d+ ms, and counts\.$/);
    for (const { redis } of instances) await requireUsable(redis);
    const address = randomUUID();
    for (const app of apps()) await statuses(app, address, 1);
    expect(await watched.master.command('zcard', `advisory-chat:limit:demo:${address}`)).to.equal('2');
  });

  it('is the replica after a failover: what was counted before and meanwhile counts there', async () => {
    const [before, meanwhile] = [randomUUID(), randomUUID()];
    const [here, there] = apps();
    if (here === undefined || there === undefined) throw new Error('There are two.');
    expect(await statuses(here, before, 2)).to.deep.equal([200, 200]);
    await watched.master.command('wait', '1', '5000');
    await watched.master.crash();
    for (const app of apps()) expect(await statuses(app, meanwhile, 4)).to.deep.equal([200, 200, 200, 429]);

    await eventually(() => apps().every((app) => app.lines.some(({ msg }) => msg === back)) || undefined);
    for (const app of apps()) expect(await statuses(app, meanwhile, 1)).to.deep.equal([429]);
    expect(await statuses(there, before, 2)).to.deep.equal([200, 429]);
    expect(await watched.replica.command('zcard', `advisory-chat:limit:demo:${meanwhile}`)).to.equal('3');
    const [finding] = await checkRedis({ redis: watched.address }, silent);
    expect(finding?.outcome).to.equal('ok');
  });
});
