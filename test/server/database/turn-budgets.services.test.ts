import { expect } from 'chai';
import { describe, it } from 'mocha';
import { eventually } from '../../support/eventually.ts';
import { required, testDatabaseUrl } from '../../support/services.ts';
import { createTestDatabase } from '../../support/test-database.ts';
import { newcomer } from './scenes.ts';

describe('turns.openWithinBudgets, on a PostgreSQL server', () => {
  for (const [whose, budgets] of [
    ['a person', { user: 1, organization: undefined }],
    ['an organization', { user: undefined, organization: 1 }],
  ] as const) {
    it(`judges two turns of ${whose} that come at once one after the other`, async () => {
      required(testDatabaseUrl);
      await using storage = await createTestDatabase();
      const avery = await newcomer(storage, 'Avery');

      const held = Promise.withResolvers<void>();
      const bothWait = Promise.withResolvers<void>();
      const holding = storage.orm.em.fork().transactional(async (em) => {
        // Whoever was judged cannot go on for now.
        await em.execute('lock table conversations in exclusive mode');
        held.resolve();
        await bothWait.promise;
      });
      await held.promise;
      const turns = ['one', 'another'].map((id) =>
        storage.database.turns.openWithinBudgets(
          { ...avery, conversationId: undefined, content: 'Where do we start?', requestId: id },
          { id, tokens: 1, budgets },
        ),
      );
      await eventually(async () => {
        const [row] = await storage.rows(
          `select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return row?.count === 2 ? true : undefined;
      });
      bothWait.resolve();
      const [opened] = await Promise.all([Promise.all(turns), holding]);

      expect(opened.filter((turn) => 'refused' in turn)).to.have.length(1);
      expect(await storage.rows('select from chat_messages')).to.have.length(1);
    });
  }
});
