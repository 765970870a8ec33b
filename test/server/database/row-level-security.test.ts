import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import type { EntityManager } from '../../../server/database/orm.ts';
import { tenantPrivileges, tenantRole } from '../../../server/database/tenant.ts';
import { inOrganization } from '../../../server/database/transactions.ts';
import { errors } from '../../../shared/errors.ts';
import { perSuite } from '../../support/per-suite.ts';
import { createTestDatabase } from '../../support/test-database.ts';
import { answerIn, ask, newcomer, refusal } from './scenes.ts';

const tenantTables = Object.keys(tenantPrivileges).filter((table) => table !== 'audit_events');

describe('row-level security', () => {
  const asAvery = <T>(work: (em: EntityManager) => Promise<T>) => inOrganization(storage.orm, avery.orgId, work);

  const storage = perSuite(() => createTestDatabase());
  const avery = perSuite(() => newcomer(storage, 'Avery'));

  it('shows no rows to the tenant role outside an organization, even on a connection that was used for one', async () => {
    await using fresh = await createTestDatabase(undefined, { isNew: true });
    const asRole = (statement: string) =>
      fresh.orm.em.fork().transactional(async (em) => {
        await em.execute(`set local role ${tenantRole}`);
        return em.execute(statement);
      });
    for (const table of tenantTables) {
      const error = await refusal(asRole(`select from ${table}`));
      expect(error.message, table).to.equal('unrecognized configuration parameter "advisory_chat.org_id"');
    }
    await ask(fresh, await newcomer(fresh, 'Avery'));
    for (const table of tenantTables) {
      expect(await asRole(`select * from ${table}`), table).to.deep.equal([]);
    }
  });

  it('resets role and organization on the connection, even after an error', async () => {
    await refusal(asAvery((em) => em.execute('select 1 / 0')));
    await asAvery((em) => em.execute('select 1'));
    const [row] = await storage.rows(
      `select current_user = session_user as itself, current_setting('advisory_chat.org_id', true) as organization`,
    );
    expect(row?.itself).to.equal(true);
    expect(row?.organization).to.be.oneOf([null, '']);
  });

  describe('applies to the functions of a turn:', () => {
    let conversationId: string;

    const fresh = perSuite(() => createTestDatabase());
    const devon = perSuite(() => newcomer(fresh, 'Devon'));
    before(async () => {
      conversationId = (await ask(fresh, devon)).conversationId;
    });

    /** Returns the error of `work` while the policy of `table` hides and rejects all rows. */
    async function refusalWhileClosed(table: string, work: () => Promise<unknown>) {
      const [policy] = await fresh.rows(
        'select pg_get_expr(polqual, polrelid) as condition from pg_policy where polname = ?',
        [`${table}_tenant_policy`],
      );
      await fresh.rows(`alter policy ${table}_tenant_policy on ${table} using (false)`);
      try {
        return (await refusal(work())).message;
      } finally {
        await fresh.rows(`alter policy ${table}_tenant_policy on ${table} using (${policy?.condition})`);
      }
    }

    it('open_turn does not return an engagement state that the policy hides', async () => {
      const state = { week: 1, hypotheses: [], unknowns: [], findings: [] };
      await fresh.administration.setEngagementState(devon.userId, state);
      await fresh.rows('alter policy engagement_states_tenant_policy on engagement_states using (false)');
      expect((await ask(fresh, devon)).facts.engagement).to.equal(null);
    });

    const open = () => ask(fresh, devon, { requestId: 'request 2' });
    const close = () => fresh.database.turns.close(answerIn(conversationId, devon));
    const reserve = () =>
      fresh.database.turns.openWithinBudgets(
        { ...devon, conversationId: undefined, content: 'Where?', requestId: 'request 3' },
        { id: 'reserved', tokens: 1, budgets: { user: 1000, organization: 1000 } },
      );
    const hidden = () => errors.UNAUTHENTICATED.sentence;
    const refused = (table: string) => `new row violates row-level security policy for table "${table}"`;

    for (const [title, table, work, sentence] of [
      ['open_turn sees nothing of', 'users', open, hidden],
      ['open_turn sees nothing of', 'organizations', open, hidden],
      ['open_turn writes nothing to', 'conversations', open, refused],
      ['open_turn writes nothing to', 'chat_messages', open, refused],
      ['open_turn writes nothing to', 'token_uses', reserve, refused],
      ['close_turn writes nothing to', 'chat_messages', close, refused],
    ] as const) {
      it(`${title} ${table} if the policy forbids it`, async () => {
        expect(await refusalWhileClosed(table, work)).to.equal(sentence(table));
      });
    }

    it('settle_turn does not change rows of another organization', async () => {
      await fresh.rows(`insert into token_uses values ('devons', ?, ?, 7, false, now())`, [devon.orgId, devon.userId]);
      const casey = await newcomer(fresh, 'Casey');
      await fresh.database.turns.settle(casey, { id: 'devons', tokens: 0 });
      expect(await fresh.rows('select tokens, settled from token_uses')).to.deep.equal([{ tokens: 7, settled: false }]);
    });
  });
});
