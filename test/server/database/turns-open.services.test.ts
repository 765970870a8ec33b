import { expect } from 'chai';
import { describe, it } from 'mocha';
import { eventually } from '../../support/eventually.ts';
import { required, testDatabaseUrl } from '../../support/services.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { ask, newcomer } from './scenes.ts';

describe('turns.open, on a PostgreSQL server', () => {
  /** Opens a turn twice, with one request id; neither can write before both have looked. */
  async function meet(storage: TestDatabase, open: () => Promise<unknown>): Promise<void> {
    const held = Promise.withResolvers<void>();
    const bothWait = Promise.withResolvers<void>();
    const holding = storage.orm.em.fork().transactional(async (em) => {
      // Nobody can write for now, and everybody can look.
      await em.execute('lock table chat_messages in exclusive mode');
      held.resolve();
      await bothWait.promise;
    });
    await held.promise;
    const both = [open(), open()];
    await eventually(async () => {
      const [row] = await storage.rows(
        `select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return row?.count === 2 ? true : undefined;
    });
    bothWait.resolve();
    await Promise.all([holding, ...both]);
  }

  it('writes one row where two retries of a question meet between looking and writing', async () => {
    required(testDatabaseUrl);
    await using storage = await createTestDatabase();
    const avery = await newcomer(storage, 'Avery');
    const { conversationId } = await ask(storage, avery);
    await storage.rows('delete from chat_messages');
    await meet(storage, () => ask(storage, avery, { conversationId }));
    expect(await storage.rows('select content from chat_messages')).to.deep.equal([{ content: 'Where do we start?' }]);
  });
});
