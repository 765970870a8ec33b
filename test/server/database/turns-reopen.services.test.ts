import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createNewIds } from '../../../server/database/turns.ts';
import { eventually } from '../../support/eventually.ts';
import { required, testDatabaseUrl } from '../../support/services.ts';
import { createTestDatabase } from '../../support/test-database.ts';
import { newcomer } from './scenes.ts';

describe('a turn that is opened again, on a PostgreSQL server', () => {
  for (const [what, budgets] of [
    ['without a budget', undefined],
    ['within budgets', { user: 1, organization: 1 }],
  ] as const) {
    it(`meets its first call while that is under way, ${what}: there is one question, and both give the same`, async () => {
      required(testDatabaseUrl);
      await using storage = await createTestDatabase();
      const { turns } = storage.database;
      const avery = await newcomer(storage, 'Avery');
      const asked = { ...avery, conversationId: undefined, content: 'Where?', requestId: 'r', newIds: createNewIds() };
      const open = () =>
        budgets === undefined
          ? turns.open(asked)
          : turns.openWithinBudgets(asked, { id: 'reservation', tokens: 10, budgets });

      const held = Promise.withResolvers<void>();
      const bothWait = Promise.withResolvers<void>();
      const holding = storage.orm.em.fork().transactional(async (em) => {
        // Whoever has made the conversation cannot go on for now.
        await em.execute('lock table chat_messages in exclusive mode');
        held.resolve();
        await bothWait.promise;
      });
      await held.promise;
      const calls = [open()];
      const blocked = (count: number) =>
        eventually(async () => {
          const [row] = await storage.rows(
            `select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
          );
          return row?.count === count ? true : undefined;
        });
      await blocked(1);
      calls.push(open());
      await blocked(2);
      bothWait.resolve();
      const [[first, second]] = await Promise.all([Promise.all(calls), holding]);

      expect(second).to.deep.equal(first);
      expect(await storage.rows('select id from chat_messages')).to.deep.equal([{ id: asked.newIds.message }]);
      expect(await storage.rows('select id from conversations')).to.have.length(1);
      expect(await storage.rows('select id from token_uses')).to.have.length(budgets === undefined ? 0 : 1);
    });
  }
});
