import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pino } from 'pino';
import { openDatabase } from '../../../server/database/database.ts';
import { closing } from '../../support/closing.ts';
import { eventually } from '../../support/eventually.ts';
import { defaultReply } from '../../support/scripted-provider.ts';
import { required, testDatabaseUrl } from '../../support/services.ts';
import { createTestApp, question, type TestApp } from '../../support/test-app.ts';
import { createTestDatabase, databaseOn } from '../../support/test-database.ts';
import { connectTestRedis } from '../../support/test-redis.ts';

const reported = 101 + 12 + 30 + 40;

type Post = (app: TestApp) => Promise<Response>;

/** Sends a hundred turns at once to two instances whose provider answers when all are judged; how many were admitted. */
async function admittedOfHundred(apps: readonly TestApp[], send: Post): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const { provider } of apps) {
    provider.answerWith({ ...defaultReply.answer, steps: [{ wait: promise }, { text: 'Late.' }] });
  }
  const asked = () => apps.reduce((sum, { provider }) => sum + provider.requests.length, 0);
  let refused = 0;
  const turns = Array.from({ length: 50 }, () =>
    apps.map(async (app) => {
      const response = await send(app);
      if (response.status === 429) refused += 1;
      await response.text();
      return response.status;
    }),
  ).flat();
  await eventually(() => (asked() + refused === 100 ? true : undefined));
  resolve();
  const statuses = await Promise.all(turns);
  expect(statuses.filter((status) => status === 200)).to.have.length(asked());
  return asked();
}

describe('A budget of tokens, over two instances', () => {
  for (const whose of ['user', 'organization'] as const) {
    it(`of ${whose === 'user' ? 'a person' : 'an organization'} is overspent by one turn at most where a hundred come at once`, async () => {
      await using storage = await createTestDatabase();
      const [row] = await storage.rows('select current_database() as name');
      const url = databaseOn(required(testDatabaseUrl), String(row?.name));
      await using database = closing(await openDatabase({ kind: 'postgresql', url }, pino({ level: 'silent' })));
      const options = { shared: { storage }, limits: { live: 1000 }, tokensPerDay: { [whose]: 100_000 } };
      await using here = await createTestApp(options);
      await using there = await createTestApp({ ...options, database });
      const people = [await here.person()];
      if (whose === 'organization') {
        const colleague = await here.person({ provider: 'github', who: 'casey-example' });
        await storage.administration.moveUser(colleague.user.id, people[0]?.user.organization.id);
        people.push(colleague);
      }

      let turn = 0;
      const admitted = await admittedOfHundred([here, there], (app) => {
        turn += 1;
        return app.live({ cookie: people[turn % people.length]?.cookie ?? '' }, question('x'.repeat(40_000)));
      });
      const reservations = await storage.rows('select tokens, settled from token_uses');
      expect(reservations).to.have.length(admitted);
      expect(reservations.every(({ tokens, settled }) => tokens === reported && settled)).to.equal(true);
      // A turn is about ten thousand tokens of question, four thousand of reply and the system prompt.
      expect(admitted).to.be.within(4, 7);
      expect(await storage.rows(`select 1 from chat_messages where role = 'USER'`)).to.have.length(admitted);
    });
  }

  it('of demo chat is overspent by one turn at most where a hundred come at once', async () => {
    await using redis = closing({ connection: await connectTestRedis(), close: async () => undefined });
    await redis.connection.del('advisory-chat:budget:{demo}:times', 'advisory-chat:budget:{demo}:tokens');
    const options = { redis: redis.connection, limits: { demo: 1000 }, tokensPerDay: { demo: 100_000 } };
    // Nobody else's limit on this server is used up by it.
    const address = randomUUID();
    await using here = await createTestApp(options);
    await using there = await createTestApp(options);
    const admitted = await admittedOfHundred([here, there], (app) =>
      app.demo(question('x'.repeat(40_000)), { 'X-Forwarded-For': address }),
    );
    expect(admitted).to.be.within(4, 7);
    const left = await eventually(async () => {
      const left = await there.demoBudget?.left();
      return left === 100_000 - admitted * reported ? left : undefined;
    });
    expect(left).to.equal(100_000 - admitted * reported);
    redis.connection.disconnect();
  });
});
