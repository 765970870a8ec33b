import { expect } from 'chai';
import { describe, it } from 'mocha';
import { eventually } from '../../support/eventually.ts';
import { required, testDatabaseUrl } from '../../support/services.ts';
import { createTestDatabase } from '../../support/test-database.ts';
import { ask, newcomer } from './scenes.ts';

describe('turns.open, on a PostgreSQL server', () => {
  it('writes one row where two retries of a question meet between looking and writing', async () => {
    required(testDatabaseUrl);
    await using storage = await createTestDatabase();
    const avery = await newcomer(storage, 'Avery');
    const { conversationId } = await ask(storage, avery);
    await storage.rows('delete from chat_messages');

    const held = Promise.withResolvers<void>();
    const bothWait = Promise.withResolvers<void>();
    const holding = storage.orm.em.fork().transactional(async (em) => {
      // Nobody can write for now, and everybody can look.
      await em.execute('lock table chat_messages in exclusive mode');
      held.resolve();
      await bothWait.promise;
    });
    await held.promise;
    const retries = [1, 2].map(() => ask(storage, avery, { conversationId }));
    await eventually(async () => {
      const [row] = await storage.rows(
        `select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return row?.count === 2 ? true : undefined;
    });
    bothWait.resolve();
    await Promise.all([holding, ...retries]);

    expect(await storage.rows('select content from chat_messages')).to.deep.equal([{ content: 'Where do we start?' }]);
  });
});
