import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import pg from 'pg';
import { pino } from 'pino';
import { type Database, openDatabase } from '../../server/database/database.ts';
import type { RedisClient } from '../../server/redis/redis-client.ts';
import { perSuite } from '../support/per-suite.ts';
import { defaultReply } from '../support/scripted-provider.ts';
import { required, testDatabaseUrl, testRedisUrl } from '../support/services.ts';
import { createTestApp, question, type TestApp } from '../support/test-app.ts';
import { createTestDatabase, databaseOn } from '../support/test-database.ts';
import { connectWithLongTimeouts, redisAt } from '../support/test-redis.ts';

const silent = pino({ level: 'silent' });

// The longest possible interval, because the periodic check of replies in flight would be counted as part of a turn.
const replyWatchMilliseconds = 2 ** 31 - 1;

// Counts operations, because durations vary from run to run. The counters wrap the functions with which the libraries send them.
describe('A turn', () => {
  const { query } = pg.Client.prototype;
  // `pg` sends a query only after the previous one has been answered, so each is a round trip.
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
  const storage = perSuite(() => createTestDatabase());
  before(async () => {
    const [row] = await storage.rows('select current_database() as name');
    const databaseUrl = databaseOn(required(testDatabaseUrl), String(row?.name));
    database = await openDatabase({ kind: 'postgresql', url: databaseUrl }, silent);
    redis = await connectWithLongTimeouts(redisAt(required(testRedisUrl)));
    pg.Client.prototype.query = function (...parameters: unknown[]) {
      sent.roundTrips += 1;
      return Reflect.apply(query, this, parameters);
    };
    countCommands();
    app = await createTestApp({ shared: { storage }, database, redis, replyWatchMilliseconds });
    avery = await app.person();
    // The first turn opens connections and loads scripts.
    await (await app.live(avery, question())).text();
  });
  beforeEach(resetCounts);

  function resetCounts(): void {
    Object.assign(sent, { roundTrips: 0, commands: 0 });
  }

  /** Counts a transaction as one command, because it is sent in one packet. */
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

  /** Completes a turn, and returns the counts until the provider has received the request, and the counts after that. */
  async function countTurn(conversationId?: string) {
    let atProviderRequest = { roundTrips: 0, commands: 0 };
    app.provider.answerWith(() => {
      atProviderRequest = { ...sent };
      return defaultReply.answer;
    });
    const response = await app.live(avery, { ...question(), conversationId });
    expect(await response.text()).to.equal(defaultReply.text);
    return {
      conversationId: response.headers.get('X-Conversation-Id') ?? undefined,
      before: atProviderRequest,
      after: {
        roundTrips: sent.roundTrips - atProviderRequest.roundTrips,
        commands: sent.commands - atProviderRequest.commands,
      },
    };
  }

  it('takes two database round trips and one Redis command before the provider request, and one round trip at its end', async () => {
    const { before, after } = await countTurn();
    expect(before).to.deep.equal({ roundTrips: 2, commands: 1 });
    expect(after).to.deep.equal({ roundTrips: 1, commands: 0 });
  });

  it('takes no additional round trips when it continues a conversation', async () => {
    const { conversationId, before, after } = await countTurn();
    resetCounts();
    expect(await countTurn(conversationId)).to.deep.equal({ conversationId, before, after });
  });

  it('takes no additional round trips when token budgets are set', async () => {
    await using budgeted = await createTestApp({
      shared: { storage },
      database,
      redis,
      replyWatchMilliseconds,
      tokensPerDay: { user: 1_000_000, organization: 1_000_000 },
    });
    await (await budgeted.live(avery, question())).text();
    resetCounts();
    await (await budgeted.live(avery, question())).text();
    expect(sent.roundTrips).to.equal(3);
  });

  it('of demo chat takes two more Redis transactions with a token budget than without one', async () => {
    for (const [tokensPerDay, commands] of [
      [{}, 1],
      [{ demo: 10_000 }, 3],
    ] as const) {
      await using demo = await createTestApp({ shared: { storage }, database, redis, tokensPerDay });
      resetCounts();
      const response = await demo.demo(question(), { 'X-Forwarded-For': randomUUID() });
      expect(await response.text()).to.equal(defaultReply.text);
      // The settling can be in flight when the reply ends. On the same connection, the ping is answered after it.
      await redis.ping();
      expect(sent.commands).to.equal(commands + 1);
    }
  });
});
