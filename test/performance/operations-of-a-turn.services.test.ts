import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import { pino } from 'pino';
import { type Database, openDatabase } from '../../server/database/database.ts';
import type { RedisClient } from '../../server/redis/client.ts';
import { ofSuite } from '../support/of-suite.ts';
import { defaultReply } from '../support/scripted-provider.ts';
import { required, testDatabaseUrl, testRedisUrl } from '../support/services.ts';
import { createTcpProxy } from '../support/tcp-proxy.ts';
import { createTestApp, question, type TestApp } from '../support/test-app.ts';
import { createTestDatabase, databaseOn } from '../support/test-database.ts';
import { connectPatiently } from '../support/test-redis.ts';
import { countPostgresMessages } from './postgres-messages.ts';
import { countRedisCommands } from './redis-commands.ts';

const silent = pino({ level: 'silent' });

/** Never: what is asked of the replies under way would be counted with the turn in which its time comes. */
const replyWatchMilliseconds = 2 ** 31 - 1;

/** Counted on the wire, because times differ from run to run and these do not. */
describe('a live turn, on the wire', () => {
  const postgres = { statements: 0, roundTrips: 0 };
  const redisCounts = { commands: 0 };
  let proxies: Awaited<ReturnType<typeof createTcpProxy>>[];
  let database: Database;
  let redis: RedisClient;
  let app: TestApp;
  let avery: Awaited<ReturnType<TestApp['person']>>;

  after(async () => {
    await app.close();
    await database.close();
    redis.disconnect();
    for (const proxy of proxies) await proxy.close();
  });
  const storage = ofSuite(() => createTestDatabase());
  before(async () => {
    const [row] = await storage.rows('select current_database() as name');
    const databaseUrl = databaseOn(required(testDatabaseUrl), String(row?.name));
    proxies = [
      await createTcpProxy(databaseUrl, () => countPostgresMessages(postgres)),
      await createTcpProxy(required(testRedisUrl), () => countRedisCommands(redisCounts)),
    ];
    const [toPostgres, toRedis] = proxies;
    database = await openDatabase({ kind: 'postgresql', url: toPostgres?.url ?? '' }, silent);
    redis = await connectPatiently({ kind: 'server', url: toRedis?.url ?? '' });
    app = await createTestApp({ shared: { storage }, database, redis, replyWatchMilliseconds });
    avery = await app.person();
    // Connections and scripts are there from now on.
    await (await app.live(avery, question())).text();
  });
  beforeEach(() => {
    Object.assign(postgres, { statements: 0, roundTrips: 0 });
    redisCounts.commands = 0;
  });

  /** One turn; what had been counted when the provider was asked, and what was counted after that until the reply's end. */
  async function countTurn(conversationId?: string) {
    let asked = { roundTrips: 0, commands: 0 };
    app.provider.answerWith(() => {
      asked = { roundTrips: postgres.roundTrips, commands: redisCounts.commands };
      return defaultReply.answer;
    });
    const response = await app.live(avery, { ...question(), conversationId });
    expect(await response.text()).to.equal(defaultReply.text);
    return {
      conversationId: response.headers.get('X-Conversation-Id') ?? undefined,
      before: asked,
      after: {
        roundTrips: postgres.roundTrips - asked.roundTrips,
        commands: redisCounts.commands - asked.commands,
      },
    };
  }

  it('waits for the database twice before the model is asked, for who asks and for the turn, and once at its end', async () => {
    const { before, after } = await countTurn();
    expect(before.roundTrips).to.equal(2);
    expect(after.roundTrips).to.equal(1);
  });

  it('waits no more often where it continues a conversation', async () => {
    const { conversationId } = await countTurn();
    Object.assign(postgres, { statements: 0, roundTrips: 0 });
    const continued = await countTurn(conversationId);
    expect(continued.conversationId).to.equal(conversationId);
    expect(continued.before.roundTrips).to.equal(2);
    expect(continued.after.roundTrips).to.equal(1);
  });

  it('waits no more often where it counts against budgets', async () => {
    await using budgeted = await createTestApp({
      shared: { storage },
      database,
      redis,
      replyWatchMilliseconds,
      tokensPerDay: { user: 1_000_000, organization: 1_000_000 },
    });
    await (await budgeted.live(avery, question())).text();
    Object.assign(postgres, { statements: 0, roundTrips: 0 });
    await (await budgeted.live(avery, question())).text();
    expect(postgres.roundTrips).to.equal(3);
  });

  it('is counted against its limit by one command to Redis', async () => {
    const { before, after } = await countTurn();
    expect([before.commands, after.commands]).to.deep.equal([1, 0]);
  });

  it('of demo chat reserves its tokens by one transaction on Redis, and settles them by another, only where it has a budget', async () => {
    for (const [tokensPerDay, commands] of [
      [{}, 1],
      [{ demo: 1_000_000 }, 3],
    ] as const) {
      await using demo = await createTestApp({ shared: { storage }, database, redis, tokensPerDay });
      redisCounts.commands = 0;
      const response = await demo.demo(question(), { 'X-Forwarded-For': randomUUID() });
      expect(await response.text()).to.equal(defaultReply.text);
      // The settling is on its way when the reply ends: on the same connection, the ping comes after it.
      await redis.ping();
      expect(redisCounts.commands).to.equal(commands + 1);
    }
  });
});
