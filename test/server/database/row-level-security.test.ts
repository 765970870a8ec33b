import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import { ChatMessage } from '../../../server/database/entities/chat-message.ts';
import { Conversation } from '../../../server/database/entities/conversation.ts';
import { EngagementState } from '../../../server/database/entities/engagement-state.ts';
import { User } from '../../../server/database/entities/user.ts';
import type { EntityManager } from '../../../server/database/orm.ts';
import { tenantRole } from '../../../server/database/tenant.ts';
import { inOrganization } from '../../../server/database/transactions.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { answerIn, ask, newcomer, refusal, type Scope } from './scenes.ts';

const tenantTables = [
  'organizations',
  'users',
  'memberships',
  'conversations',
  'chat_messages',
  'engagement_states',
  'token_uses',
];
const otherTables = ['identities', 'sessions', 'invitations', 'blocked_accounts', 'schema_migrations'];

const emptyState = { week: 1, focus: null, hypotheses: [], unknowns: [], findings: [] };

describe('row-level security', () => {
  let storage: TestDatabase;
  let avery: Scope;
  let casey: Scope;
  let caseysConversation: string;
  let stored: string;

  /** Everything in the database, to see that a refused door has changed nothing. */
  const everything = async () => {
    const rows = [];
    for (const table of tenantTables) rows.push(await storage.rows(`select * from ${table} order by 1, 2`));
    return JSON.stringify(rows);
  };
  const asAvery = <T>(work: (em: EntityManager) => Promise<T>) => inOrganization(storage.orm, avery.orgId, work);

  before(async () => {
    storage = await createTestDatabase();
    avery = await newcomer(storage, 'Avery');
    casey = await newcomer(storage, 'Casey');
    await ask(storage, avery);
    caseysConversation = (await ask(storage, casey)).conversationId;
    for (const { userId, orgId } of [avery, casey]) {
      await storage.rows('insert into token_uses values (?, ?, ?, 1, true, now())', [userId, orgId, userId]);
    }
  });
  beforeEach(async () => {
    stored = await everything();
  });
  after(() => storage.close());

  describe('closes the doors that write into another organization', () => {
    const refusals: Record<string, (em: EntityManager) => Promise<unknown>> = {
      upsert: (em) => em.upsert(EngagementState, { userId: casey.userId, orgId: casey.orgId, ...emptyState }),
      insert: (em) => em.insert(Conversation, { id: 'planted', orgId: casey.orgId, userId: casey.userId }),
      insertMany: (em) => em.insertMany(Conversation, [{ id: 'planted', orgId: casey.orgId, userId: casey.userId }]),
      'create and flush': async (em) => {
        em.create(Conversation, { id: 'planted', orgId: casey.orgId, userId: casey.userId, createdAt: new Date() });
        await em.flush();
      },
      'an insert in raw SQL': (em) =>
        em.execute('insert into conversations (id, org_id, user_id) values (?, ?, ?)', [
          'planted',
          casey.orgId,
          casey.userId,
        ]),
      'a use of tokens in raw SQL': (em) =>
        em.execute(`insert into token_uses values ('planted', ?, ?, 1, true, now())`, [casey.orgId, casey.userId]),
      'an update that takes a row along': (em) =>
        em.nativeUpdate(Conversation, { userId: avery.userId }, { orgId: casey.orgId }),
    };
    for (const [door, attempt] of Object.entries(refusals)) {
      it(door, async () => {
        const error = await refusal(asAvery(attempt));
        expect(error.message).to.match(/^new row violates row-level security policy for table "\w+"$/);
        expect(await everything()).to.equal(stored);
      });
    }

    const misses: Record<string, (em: EntityManager) => Promise<unknown>> = {
      'getReference and flush': async (em) => {
        em.getReference(User, casey.userId).role = 'Changed';
        await em.flush();
      },
      'nativeUpdate with the filter switched off': (em) =>
        em.nativeUpdate(User, { id: casey.userId }, { role: 'Changed' }, { filters: false }),
      'a query builder': (em) =>
        em.createQueryBuilder(Conversation).update({ status: 'ARCHIVED' }).where({ id: caseysConversation }).execute(),
      'a deletion in raw SQL': (em) => em.execute('delete from token_uses where user_id = ?', [casey.userId]),
      'settling a turn': (em) => em.execute('update token_uses set tokens = 0 where id = ?', [casey.userId]),
      'an update in raw SQL': (em) => em.execute('update users set role = ? where id = ?', ['Changed', casey.userId]),
    };
    for (const [door, attempt] of Object.entries(misses)) {
      it(`${door} changes nothing`, async () => {
        await asAvery(attempt);
        expect(await everything()).to.equal(stored);
      });
    }
  });

  it('gives the role no way to change or delete a message, or to delete anything but what turns have used', async () => {
    const attempts: ((em: EntityManager) => Promise<unknown>)[] = [
      (em) => em.nativeUpdate(ChatMessage, { userId: avery.userId }, { content: 'Changed' }),
      (em) => em.nativeUpdate(ChatMessage, { userId: avery.userId }, { role: 'ASSISTANT' }),
      (em) => em.nativeDelete(ChatMessage, {}),
      (em) => em.execute('truncate chat_messages'),
      ...tenantTables
        .filter((table) => table !== 'token_uses')
        .map((table) => (em: EntityManager) => em.execute(`delete from ${table}`)),
    ];
    for (const attempt of attempts) {
      expect((await refusal(asAvery(attempt))).message).to.match(/^permission denied for table \w+$/);
    }
    expect(await everything()).to.equal(stored);
  });

  for (const table of otherTables) {
    it(`gives the role nothing of ${table}`, async () => {
      for (const statement of [`select from ${table}`, `delete from ${table}`, `insert into ${table} default values`]) {
        const error = await refusal(asAvery((em) => em.execute(statement)));
        expect(error.message, statement).to.equal(`permission denied for table ${table}`);
      }
    });
  }

  it('refuses the role outside an organization, and shows it nothing once its connection has served one', async () => {
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

  it('leaves neither the role nor the organization behind on the connection, also after a failure', async () => {
    await refusal(asAvery((em) => em.execute('select 1 / 0')));
    await asAvery((em) => em.execute('select 1'));
    const [row] = await storage.rows(
      `select current_user = session_user as itself, current_setting('advisory_chat.org_id', true) as organization`,
    );
    expect(row?.itself).to.equal(true);
    expect(row?.organization).to.be.oneOf([null, '']);
  });

  describe('decides in the functions of a turn', () => {
    let fresh: TestDatabase;
    let devon: Scope;
    let conversationId: string;

    before(async () => {
      fresh = await createTestDatabase();
      devon = await newcomer(fresh, 'Devon');
      conversationId = (await ask(fresh, devon)).conversationId;
    });
    after(() => fresh.close());

    /** What the work is refused with while `table` shows and takes nothing. */
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

    for (const table of ['users', 'organizations']) {
      it(`open_turn sees nothing of ${table} that the policy hides`, async () => {
        expect(await refusalWhileClosed(table, () => ask(fresh, devon))).to.equal('query returned no rows');
      });
    }

    it('open_turn sees no engagement state that the policy hides', async () => {
      await fresh.administration.setEngagementState(devon.userId, {
        week: 1,
        hypotheses: [],
        unknowns: [],
        findings: [],
      });
      await fresh.rows('alter policy engagement_states_tenant_policy on engagement_states using (false)');
      expect((await ask(fresh, devon)).facts.engagement).to.equal(null);
    });

    for (const table of ['conversations', 'chat_messages']) {
      it(`open_turn writes nothing to ${table} that the policy refuses`, async () => {
        expect(await refusalWhileClosed(table, () => ask(fresh, devon, { requestId: 'request 2' }))).to.equal(
          `new row violates row-level security policy for table "${table}"`,
        );
      });
    }

    it('close_turn writes nothing to chat_messages that the policy refuses', async () => {
      const close = () => fresh.database.turns.close(answerIn(conversationId, devon));
      expect(await refusalWhileClosed('chat_messages', close)).to.equal(
        'new row violates row-level security policy for table "chat_messages"',
      );
    });

    const reservation = { id: 'reserved', tokens: 1, budgets: { user: 1000, organization: 1000 } };

    it('open_budgeted_turn writes nothing to token_uses that the policy refuses', async () => {
      const question = { ...devon, conversationId: undefined, content: 'Where?', requestId: 'request 3' };
      const open = () => fresh.database.turns.openWithinBudgets(question, reservation);
      expect(await refusalWhileClosed('token_uses', open)).to.equal(
        'new row violates row-level security policy for table "token_uses"',
      );
    });

    it('settle_turn changes nothing of another organization', async () => {
      await fresh.rows(`insert into token_uses values ('devons', ?, ?, 7, false, now())`, [devon.orgId, devon.userId]);
      const casey = await newcomer(fresh, 'Casey');
      await fresh.database.turns.settle(casey, { id: 'devons', tokens: 0 });
      expect(await fresh.rows('select tokens, settled from token_uses')).to.deep.equal([{ tokens: 7, settled: false }]);
    });

    it('which leave the role of their caller as it was', async () => {
      const [row] = await fresh.orm.em.fork().transactional(async (em) => {
        const parameters = [devon.orgId, devon.userId, null, 'new', 'new', 'request 3', 'Where?'];
        await em.execute('select open_turn(?, ?, ?, ?, ?, ?, ?)', parameters);
        return em.execute('select current_user = session_user as itself');
      });
      expect(row).to.deep.equal({ itself: true });
    });
  });
});
