import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import pg from 'pg';
import { pino } from 'pino';
import { type Database, openDatabase } from '../../server/database/database.ts';
import type { RedisClient } from '../../server/redis/client.ts';
import { ofSuite } from '../support/of-suite.ts';
import { defaultReply } from '../support/scripted-provider.ts';
import { required, testDatabaseUrl, testRedisUrl } from '../support/services.ts';
import { createTestApp, question, type TestApp } from '../support/test-app.ts';
import { createTestDatabase, databaseOn } from '../support/test-database.ts';
import { connectWithLongTimeouts } from '../support/test-redis.ts';

const silent = pino({ level: 'silent' });

/** Never: what is asked of the replies under way would be counted with the turn in which its time comes. */
const replyWatchMilliseconds = 2 ** 31 - 1;

/** Counted where the libraries send, because times differ from run to run and these do not. */
describe('a live turn, on the wire', () => {
  const { query } = pg.Client.prototype;
  /** `pg` sends a query when the one before it is answered: each is a round trip. */
  const sent = { roundTrips: 0, commands: 0 };
  let database: Database;
  let redis: RedisClient;
  let app: TestApp;
  let avery: Awaited<ReturnType<TestApp['person']>>;

  after(async () => {
    await app.close();
    await database.close();
    redis.disconnect();
    pg.Client.prototype.query = query;
  });
  const storage = ofSuite(() => createTestDatabase());
  before(async () => {
    const [row] = await storage.rows('select current_database() as name');
    const databaseUrl = databaseOn(required(testDatabaseUrl), String(row?.name));
    database = await openDatabase({ kind: 'postgresql', url: databaseUrl }, silent);
    redis = await connectWithLongTimeouts({ kind: 'server', url: required(testRedisUrl) });
    pg.Client.prototype.query = function (...parameters: unknown[]) {
      sent.roundTrips += 1;
      return Reflect.apply(query, this, parameters);
    };
    countCommands();
    app = await createTestApp({ shared: { storage }, database, redis, replyWatchMilliseconds });
    avery = await app.person();
    // Connections and scripts are there from now on.
    await (await app.live(avery, question())).text();
  });
  beforeEach(forget);

  function forget(): void {
    Object.assign(sent, { roundTrips: 0, commands: 0 });
  }

  /** A transaction is one command, for it is sent in one piece. */
  function countCommands(): void {
    const { sendCommand } = redis;
    let inTransaction = false;
    redis.sendCommand = function (...parameters: Parameters<typeof sendCommand>) {
      const [{ name }] = parameters;
      if (name === 'multi') inTransaction = true;
      if (name === 'exec') inTransaction = false;
      if (!inTransaction) sent.commands += 1;
      return Reflect.apply(sendCommand, this, parameters);
    };
  }

  /** One turn; what had been counted when the provider was asked, and what was counted after that until the reply's end. */
  async function countTurn(conversationId?: string) {
    let asked = { roundTrips: 0, commands: 0 };
    app.provider.answerWith(() => {
      asked = { ...sent };
      return defaultReply.answer;
    });
    const response = await app.live(avery, { ...question(), conversationId });
    expect(await response.text()).to.equal(defaultReply.text);
    return {
      conversationId: response.headers.get('X-Conversation-Id') ?? undefined,
      before: asked,
      after: {
        roundTrips: sent.roundTrips - asked.roundTrips,
        commands: sent.commands - asked.commands,
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
    forget();
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
    forget();
    await (await budgeted.live(avery, question())).text();
    expect(sent.roundTrips).to.equal(3);
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
      forget();
      const response = await demo.demo(question(), { 'X-Forwarded-For': randomUUID() });
      expect(await response.text()).to.equal(defaultReply.text);
      // The settling is on its way when the reply ends: on the same connection, the ping comes after it.
      await redis.ping();
      expect(sent.commands).to.equal(commands + 1);
    }
  });
});
