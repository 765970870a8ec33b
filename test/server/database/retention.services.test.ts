import { expect } from 'chai';
import { describe, it } from 'mocha';
import { inOrganization } from '../../../server/database/transactions.ts';
import { perTest } from '../../support/per-suite.ts';
import { createTestDatabase } from '../../support/test-database.ts';
import { ask, newcomer } from './scenes.ts';

describe('prune, in several processes', () => {
  const storage = perTest(() => createTestDatabase());
  const avery = perTest(() => newcomer(storage, 'Avery'));

  async function oldConversation(): Promise<string> {
    const { conversationId } = await ask(storage, avery);
    await storage.rows(`update chat_messages set created_at = now() - interval '40 days' where conversation_id = ?`, [
      conversationId,
    ]);
    await storage.rows(`update conversations set created_at = now() - interval '40 days' where id = ?`, [
      conversationId,
    ]);
    return conversationId;
  }
  const prune = () => storage.database.prune(30, 'service');

  it('runs in one process at a time', async () => {
    await oldConversation();
    await storage.orm.em.fork().transactional(async (em) => {
      await em.execute('select pg_advisory_xact_lock(523, 0)');
      expect(await prune()).to.equal(null);
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
});
