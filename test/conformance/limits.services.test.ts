import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Redis } from 'ioredis';
import { after, before, describe, it } from 'mocha';
import { pino } from 'pino';
import { connectRedis } from '../../server/limits/redis.ts';
import { eventually } from '../support/eventually.ts';
import { required, testRedisUrl } from '../support/services.ts';
import { question, type TestApp } from '../support/test-app.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { createInstance } from './support/instance.ts';

async function connected(): Promise<Redis> {
  const redis = connectRedis(required(testRedisUrl), pino({ level: 'silent' }));
  await eventually(() => (redis.status === 'ready' ? true : undefined));
  return redis;
}

/** The status of an answer that has been read to its end. */
async function statusOf(answer: Promise<Response>): Promise<number> {
  const response = await answer;
  await response.text();
  return response.status;
}

describe('Limits, with Redis', () => {
  const address = randomUUID();
  const connections: Redis[] = [];
  let storage: TestDatabase;
  let avery: Awaited<ReturnType<TestApp['person']>>;

  /** A new instance, with a connection of its own. */
  async function start(): Promise<TestApp> {
    const redis = await connected();
    connections.push(redis);
    return createInstance({ shared: { storage }, redis });
  }

  before(async () => {
    storage = await createTestDatabase();
    avery = await (await start()).person();
  });
  after(async () => {
    for (const redis of connections) redis.disconnect();
    await storage.close();
  });

  for (const { surface, most, windowSeconds, send } of [
    { surface: 'L', most: 60, windowSeconds: 60, send: (at: TestApp) => at.live(avery, question()) },
    {
      surface: 'D',
      most: 15,
      windowSeconds: 3600,
      send: (at: TestApp) => at.demo(question(), { 'X-Forwarded-For': address }),
    },
  ]) {
    it(`131 ${surface} of 100 requests at once over two instances exactly ${most} are admitted, and none at a third`, async () => {
      const pair = [await start(), await start()];
      const sent = Array.from({ length: 50 }, () => pair.map((instance) => statusOf(send(instance)))).flat();
      const outcomes = await Promise.all(sent);
      expect(outcomes.filter((status) => status === 200)).to.have.length(most);
      expect(outcomes.filter((status) => status === 429)).to.have.length(100 - most);

      const refused = await send(await start());
      expect(refused.status).to.equal(429);
      const wait = Number(refused.headers.get('retry-after'));
      expect(wait).to.be.within(1, windowSeconds);
      expect(await refused.text()).to.match(new RegExp(`^RATE_LIMITED: .* ${wait} seconds?\\.$`));
    });
  }
});
