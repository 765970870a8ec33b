import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { pino } from 'pino';
import { loadConfig } from '../../server/config/config.ts';
import { checkRedis } from '../../server/doctor/check-redis.ts';
import type { RedisClient } from '../../server/redis/client.ts';
import { requireUsable } from '../../server/redis/state.ts';
import { eventually } from '../support/eventually.ts';
import { startWatchedRedis, type WatchedRedis } from '../support/redis-sentinel.ts';
import { temporaryDirectory } from '../support/served-process.ts';
import { createTestApp, question, type TestApp } from '../support/test-app.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { connectPatiently } from '../support/test-redis.ts';

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
