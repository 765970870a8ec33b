import { expect } from 'chai';
import type { Redis } from 'ioredis';
import { after, before, describe, it } from 'mocha';
import { pino } from 'pino';
import { openDatabase } from '../../server/database/database.ts';
import { connectRedis } from '../../server/limits/redis.ts';
import { eventually } from '../support/eventually.ts';
import { defaultReply } from '../support/scripted-provider.ts';
import { required, testDatabaseUrl, testRedisUrl } from '../support/services.ts';
import { createTcpProxy } from '../support/tcp-proxy.ts';
import { createTestApp, question, type TestApp } from '../support/test-app.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

const silent = pino({ level: 'silent' });
type Proxy = Awaited<ReturnType<typeof createTcpProxy>>;

describe('with PostgreSQL', () => {
  let storage: TestDatabase;
  let proxy: Proxy;
  let app: TestApp;
  let database: Awaited<ReturnType<typeof openDatabase>>;

  before(async () => {
    storage = await createTestDatabase();
    const [row] = await storage.rows('select current_database() as name');
    const own = new URL(required(testDatabaseUrl));
    own.pathname = `/${row?.name}`;
    proxy = await createTcpProxy(own.href);
    database = await openDatabase({ kind: 'postgresql', url: proxy.url }, silent);
    app = await createTestApp({ shared: { storage }, database });
  });
  after(async () => {
    await app.close();
    await database.close();
    await proxy.close();
    await storage.close();
  });

  it('stopped, demo chat answers, live chat fails without a provider call, and both recover by themselves', async () => {
    const avery = await app.person();
    await proxy.cut();
    expect(await (await app.demo(question())).text()).to.equal(defaultReply.text);
    app.provider.reset();
    const refused = await app.live(avery, question());
    expect(refused.status).to.equal(500);
    expect(await refused.text()).to.equal('INTERNAL: Something went wrong on our side.');
    expect(app.provider.requests).to.have.length(0);
    expect((await fetch(`${app.url}/readyz`)).status).to.equal(503);
    await proxy.mend();
    expect(await (await app.live(avery, question())).text()).to.equal(defaultReply.text);
    expect((await fetch(`${app.url}/readyz`)).status).to.equal(200);
  });

  it('stopped in mid-stream, the stream does not notice and the row is written once it is back', async () => {
    const avery = await app.person();
    await storage.rows('delete from conversations');
    const { promise, resolve } = Promise.withResolvers<void>();
    app.provider.answerWith({ steps: [{ text: 'Before, ' }, { wait: promise }, { text: 'after.' }] });
    const response = await app.live(avery, question());
    await proxy.cut();
    resolve();
    expect(await response.text()).to.equal('Before, after.');
    await proxy.mend();
    const answer = await eventually(async () => {
      const rows = await storage.rows(`select * from chat_messages where role = 'ASSISTANT'`);
      return rows[0];
    });
    expect(answer).to.include({ content: 'Before, after.', stop_reason: 'end_turn' });
  });
});

describe('with Redis', () => {
  let proxy: Proxy;
  let redis: Redis;
  let app: TestApp;

  before(async () => {
    proxy = await createTcpProxy(required(testRedisUrl));
    redis = connectRedis(proxy.url, silent);
    await eventually(() => (redis.status === 'ready' ? true : undefined));
    await redis.flushdb();
    app = await createTestApp({ redis, limits: { live: 2, demo: 2 } });
  });
  after(async () => {
    await app.close();
    redis.disconnect();
    await proxy.close();
  });

  const statuses = async (send: () => Promise<Response>) => [
    (await send()).status,
    (await send()).status,
    (await send()).status,
  ];

  it('shares its counts with other instances', async () => {
    await using other = await createTestApp({ redis, shared: { storage: app.storage }, limits: { demo: 2 } });
    const from = { 'X-Forwarded-For': '203.0.113.1' };
    expect((await app.demo(question(), from)).status).to.equal(200);
    expect((await other.demo(question(), from)).status).to.equal(200);
    for (const instance of [app, other]) expect((await instance.demo(question(), from)).status).to.equal(429);
  });

  for (const [fault, begin, end] of [
    ['frozen', () => proxy.freeze(), () => proxy.thaw()],
    ['stopped', () => proxy.cut(), () => proxy.mend()],
  ] as const) {
    it(`${fault}, both routes answer and stay limited, and the counts are shared again afterwards`, async () => {
      const avery = await app.person({
        provider: 'github',
        who: fault === 'frozen' ? 'avery-example' : 'casey-example',
      });
      await begin();
      const from = { 'X-Forwarded-For': `while ${fault}` };
      expect(await statuses(() => app.demo(question(), from))).to.deep.equal([200, 200, 429]);
      expect(await statuses(() => app.live(avery, question()))).to.deep.equal([200, 200, 429]);
      await end();
      await eventually(async () => {
        await app.demo(question(), { 'X-Forwarded-For': `after ${fault}` });
        return app.lines.find(({ msg }) => msg === 'Redis is back: rate-limit counts are shared again');
      });
      app.lines.length = 0;
    });
  }
});
