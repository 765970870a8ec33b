import { expect } from 'chai';
import { describe, it } from 'mocha';
import { Client } from 'pg';
import { pino } from 'pino';
import { pruneConversations } from '../../../../server/database/serving/retention.ts';
import { createTurns } from '../../../../server/database/serving/turns.ts';
import { inOrganization } from '../../../../server/database/transactions.ts';
import { eventually } from '../../../support/eventually.ts';
import { perTest } from '../../../support/per-suite.ts';
import { required, testDatabaseUrl } from '../../../support/services.ts';
import { createTestDatabase, databaseOn } from '../../../support/test-database.ts';
import { ask, newcomer, refusal } from '../scenes.ts';

describe('prune, on a PostgreSQL server', () => {
  const storage = perTest(() => createTestDatabase());
  const avery = perTest(() => newcomer(storage, 'Avery'));

  async function oldConversation(): Promise<string> {
    const { conversationId } = await ask(storage, avery);
    await storage.rows(`update chat_messages set created_at = now() - interval '40 days'`);
    await storage.rows(`update conversations set created_at = now() - interval '40 days'`);
    return conversationId;
  }
  const prune = async () => (await storage.database.prune(30, 'service'))?.conversations ?? null;

  it('runs in one process at a time', async () => {
    await oldConversation();
    await storage.orm.em.fork().transactional(async (em) => {
      await em.execute('select pg_advisory_xact_lock(523, 0)');
      expect(await prune()).to.equal(null);
      expect((await refusal(storage.administration.prune(30))).message).to.match(
        /^Another process is already deleting old conversations\./,
      );
    });
    expect(await prune()).to.equal(1);
  });

  it('skips a conversation in which a turn is being opened, without waiting', async () => {
    const busy = await oldConversation();
    await oldConversation();
    await inOrganization(storage.orm, avery.orgId, async (em) => {
      await em.execute('select 1 from conversations where id = ? for no key update', [busy]);
      expect(await prune()).to.equal(1);
      expect(await storage.rows('select id from conversations')).to.deep.equal([{ id: busy }]);
    });
  });

  it('retains a conversation whose turn is committed between the snapshot and the lock', async () => {
    const conversationId = await oldConversation();
    await using opened = new AsyncDisposableStack();
    const connect = async () => {
      const [row] = await storage.rows('select current_database() as name');
      const client = new Client({ connectionString: databaseOn(required(testDatabaseUrl), String(row?.name)) });
      await client.connect();
      opened.defer(() => client.end());
      return client;
    };
    const [pruning, asking] = [await connect(), await connect()];
    // With a cached plan, a query opens its indexes after its snapshot, so a locked index stops it in between.
    await pruning.query(
      'alter function prune_conversations(timestamptz, int, text) set plan_cache_mode = force_generic_plan',
    );
    expect(await pruneConversations(pruning, 100, 'service')).to.deep.equal({ conversations: 0, messages: 0 });

    await asking.query('begin');
    const question = { ...avery, conversationId, content: 'And now?', requestId: 'request 2' };
    await createTurns(asking, pino({ level: 'silent' })).open(question);
    await asking.query('alter index conversations_created_at_id_index set tablespace pg_default');
    const pruned = pruneConversations(pruning, 30, 'service');
    const waiting = `select from pg_locks where relation = 'conversations_created_at_id_index'::regclass and not granted`;
    await eventually(async () => ((await storage.rows(waiting)).length === 1 ? true : undefined));
    await asking.query('commit');
    expect(await pruned).to.deep.equal({ conversations: 0, messages: 0 });
    expect(await storage.rows('select id from conversations')).to.deep.equal([{ id: conversationId }]);
  });
});
