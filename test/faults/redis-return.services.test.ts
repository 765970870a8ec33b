import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import type { RedisClient } from '../../server/redis/client.ts';
import { eventually } from '../support/eventually.ts';
import { type RedisServer, startRedis } from '../support/redis-process.ts';
import { temporaryDirectory } from '../support/served-process.ts';
import { createTestApp, question, type TestApp } from '../support/test-app.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { connectPatiently } from '../support/test-redis.ts';

const back = 'Redis is back: rate-limit counts are shared again';
const budget = 100_000;

/** Two instances, each of which has counted by itself. */
describe('Redis that was away, for two instances', function () {
  this.timeout(60_000);
  let files: Awaited<ReturnType<typeof temporaryDirectory>>;
  let storage: TestDatabase;
  let server: RedisServer;
  let instances: { redis: RedisClient; app: TestApp }[];

  before(async () => {
    files = await temporaryDirectory();
    server = await startRedis(files.path);
  });
  beforeEach(async () => {
    storage = await createTestDatabase();
    instances = [];
    for (const _ of ['here', 'there']) {
      const redis = await connectPatiently({ kind: 'server', url: server.url });
      const app = await createTestApp({
        shared: { storage },
        redis,
        limits: { live: 3, demo: 3 },
        tokensPerDay: { demo: budget },
      });
      instances.push({ redis, app });
    }
  });
  afterEach(async () => {
    for (const { redis, app } of instances) {
      await app.close();
      redis.disconnect();
    }
    await storage.close();
  });
  after(async () => {
    await server.stop();
    await files.remove();
  });

  const apps = () => instances.map(({ app }) => app);
  const first = () => apps()[0] as TestApp;
  const demo = (address: string) => (app: TestApp) => app.demo(question(), { 'X-Forwarded-For': address });

  /** The statuses of `count` requests to one instance, one after the other. */
  async function statuses(app: TestApp, send: (app: TestApp) => Promise<Response>, count: number): Promise<number[]> {
    const found: number[] = [];
    for (let sent = 0; sent < count; sent += 1) {
      const response = await send(app);
      await response.text();
      found.push(response.status);
    }
    return found;
  }

  /** Resolves when the instances have found Redis by themselves: no request is sent meanwhile. */
  async function shared(limiter: string, among = apps()): Promise<void> {
    const isBack = (app: TestApp) => app.lines.some((line) => line.msg === back && line.limiter === limiter);
    await eventually(() => among.every(isBack) || undefined);
  }

  /** Resolves when Redis has counted so many requests under the key. */
  async function counted(key: string, count: number): Promise<void> {
    const ask = async () => instances[0]?.redis.zcard(key).catch(() => undefined);
    await eventually(async () => (await ask()) === count || undefined);
  }

  for (const route of ['demo', 'live'] as const) {
    it(`stopped and started with nothing in it, lets nobody of ${route} chat have their limit once more`, async () => {
      const address = randomUUID();
      const person = await first().person({ provider: 'github', who: 'avery-example' });
      const send = route === 'demo' ? demo(address) : (app: TestApp) => app.live(person, question());
      await server.stop();
      for (const app of apps()) expect(await statuses(app, send, 4)).to.deep.equal([200, 200, 200, 429]);
      await server.start();
      await shared(route);
      for (const app of apps()) expect(await statuses(app, send, 1)).to.deep.equal([429]);
      const id = route === 'demo' ? address : person.user.id;
      expect(await server.command('zcard', `advisory-chat:limit:${route}:${id}`), 'what decides is kept').to.equal('3');
    });
  }

  it('is told what was counted by an instance whose visitors do not come again, and the others go by it', async () => {
    const addresses = Array.from({ length: 120 }, () => randomUUID());
    const [here, there] = apps();
    if (here === undefined || there === undefined) throw new Error('There are two.');
    await server.stop();
    const outcomes = await Promise.all(addresses.map((address) => statuses(here, demo(address), 3)));
    expect(outcomes.flat().every((status) => status === 200)).to.equal(true);
    await server.start();
    await shared('demo', [here]);
    for (const address of addresses) await counted(`advisory-chat:limit:demo:${address}`, 3);
    const refusals = await Promise.all(addresses.map((address) => statuses(there, demo(address), 1)));
    expect(refusals.flat().every((status) => status === 429)).to.equal(true);
  });

  it('and was emptied once more before anybody came, is told again', async () => {
    const address = randomUUID();
    await server.stop();
    expect(await statuses(first(), demo(address), 3)).to.deep.equal([200, 200, 200]);
    await server.start();
    await shared('demo', [first()]);
    await server.stop();
    await server.start();
    await counted(`advisory-chat:limit:demo:${address}`, 3);
  });

  it('does not count a request twice that it had taken without an answer', async () => {
    const address = randomUUID();
    const send = demo(address);
    const [{ redis, app } = { redis: undefined, app: undefined }] = instances;
    if (redis === undefined || app === undefined) throw new Error('There are two.');
    // As in production: the product gives a command up soon.
    Object.assign(redis.options, { commandTimeout: 250 });
    server.freeze();
    try {
      expect(await statuses(app, send, 1)).to.deep.equal([200]);
    } finally {
      server.thaw();
    }
    await shared('demo', [app]);
    await counted(`advisory-chat:limit:demo:${address}`, 1);
    expect(await statuses(app, send, 3)).to.deep.equal([200, 200, 429]);
  });

  it("counts what was used of demo chat's budget meanwhile, by what it was settled at", async () => {
    const left = () => Promise.all(apps().map((app) => app.demoBudget?.left()));
    await server.command('flushall');
    await statuses(first(), demo(randomUUID()), 1);
    const used = await eventually(async () => {
      const [here = budget] = await left();
      const used = budget - here;
      return used > 0 && used < 1_000 ? used : undefined;
    });
    await server.stop();
    for (const app of apps()) expect(await statuses(app, demo(randomUUID()), 2)).to.deep.equal([200, 200]);
    await server.start();
    await shared('demo budget');
    expect(
      await eventually(async () => {
        const all = await left();
        return all.every((tokens) => tokens === budget - 4 * used) ? all : undefined;
      }),
    ).to.have.length(2);
  });
});
