import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Redis } from 'ioredis';
import { after, before, describe, it } from 'mocha';
import { createTestApp, question, type TestApp } from '../support/test-app.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { connectTestRedis } from '../support/test-redis.ts';

/** The status of an answer that has been read to its end. */
async function statusOf(answer: Promise<Response>): Promise<number> {
  const response = await answer;
  await response.text();
  return response.status;
}

describe('Limits', () => {
  const running: { app: TestApp; redis: Redis }[] = [];
  let storage: TestDatabase;

  before(async () => {
    storage = await createTestDatabase();
  });
  after(async () => {
    for (const { app, redis } of running) {
      await app.close();
      redis.disconnect();
    }
    await storage.close();
  });

  /** A new instance, with a connection of its own. */
  async function start(): Promise<TestApp> {
    const redis = await connectTestRedis();
    const app = await createTestApp({ shared: { storage }, redis });
    running.push({ app, redis });
    return app;
  }

  it('131 With Redis the counts are shared by all instances', async () => {
    const pair = [await start(), await start()];
    const third = await start();
    const avery = await third.person();
    const address = randomUUID();
    for (const { most, windowSeconds, send } of [
      { most: 60, windowSeconds: 60, send: (at: TestApp) => at.live(avery, question()) },
      {
        most: 15,
        windowSeconds: 3600,
        send: (at: TestApp) => at.demo(question(), { 'X-Forwarded-For': address }),
      },
    ]) {
      const sent = Array.from({ length: 50 }, () => pair.map((instance) => statusOf(send(instance)))).flat();
      const outcomes = await Promise.all(sent);
      expect(outcomes.filter((status) => status === 200)).to.have.length(most);
      expect(outcomes.filter((status) => status === 429)).to.have.length(100 - most);

      const refused = await send(third);
      expect(refused.status).to.equal(429);
      const wait = Number(refused.headers.get('retry-after'));
      expect(wait).to.be.within(1, windowSeconds);
      expect(await refused.text()).to.match(new RegExp(`^RATE_LIMITED: .* ${wait} seconds?\\.$`));
    }
  });
});
