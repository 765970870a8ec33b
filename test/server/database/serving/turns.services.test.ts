import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createNewIds } from '../../../../server/database/serving/turns.ts';
import type { Scope } from '../../../../server/database/tenant.ts';
import { auditSource, signInDetails } from '../../../support/people.ts';
import { perTest } from '../../../support/per-suite.ts';
import { required, testDatabaseUrl } from '../../../support/services.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/test-database.ts';
import { answerIn, ask, newcomer, refusal, runConcurrently, waitForLocks } from '../scenes.ts';

function createServerDatabase(): Promise<TestDatabase> {
  required(testDatabaseUrl);
  return createTestDatabase();
}

describe('turns, on a PostgreSQL server', () => {
  const storage = perTest(createServerDatabase);
  const avery = perTest(() => newcomer(storage, 'Avery'));

  it('write one row for two concurrent retries of a question', async () => {
    const { conversationId } = await ask(storage, avery);
    await storage.rows('delete from chat_messages');
    const open = () => ask(storage, avery, { conversationId });
    await runConcurrently(storage, 'chat_messages', [open, open]);
    expect(await storage.rows('select content from chat_messages')).to.deep.equal([{ content: 'Where do we start?' }]);
  });

  it('store one answer for two concurrent calls with its id', async () => {
    const reservation = { id: 'reservation', tokens: 1, budgets: { user: 1, organization: undefined } };
    const question = { ...avery, conversationId: undefined, content: 'Where?', requestId: 'r' };
    const opened = await storage.database.turns.openWithinBudgets(question, reservation);
    const conversationId = 'conversationId' in opened ? opened.conversationId : '';
    const close = () => storage.database.turns.close(answerIn(conversationId, avery), { id: 'reservation', tokens: 1 });
    // A call that has stored the answer blocks at this table.
    await runConcurrently(storage, 'token_uses', [close, close]);
    expect(await storage.rows(`select id from chat_messages where role = 'ASSISTANT'`)).to.have.length(1);
  });

  for (const [title, budgets] of [
    ['without a budget', undefined],
    ['within budgets', { user: 1, organization: 1 }],
  ] as const) {
    it(`have the same result if each is opened again while the first call is in flight, ${title}`, async () => {
      const { turns } = storage.database;
      const question = { conversationId: undefined, content: 'Where?', requestId: 'r' };
      const asked = { ...avery, ...question, newIds: createNewIds() };
      const open = () =>
        budgets === undefined
          ? turns.open(asked)
          : turns.openWithinBudgets(asked, { id: 'reservation', tokens: 10, budgets });
      const [first, second] = await runConcurrently(storage, 'chat_messages', [open, open]);
      expect(second).to.deep.equal(first);
      expect(await storage.rows('select id from chat_messages')).to.deep.equal([{ id: asked.newIds.message }]);
      expect(await storage.rows('select id from conversations')).to.have.length(1);
      expect(await storage.rows('select id from token_uses')).to.have.length(budgets === undefined ? 0 : 1);
    });
  }

  for (const [whose, budgets] of [
    ['a user', { user: 1, organization: undefined }],
    ['an organization', { user: undefined, organization: 1 }],
  ] as const) {
    it(`are checked against the budget of ${whose} one at a time`, async () => {
      const question = { ...avery, conversationId: undefined, content: 'Where do we start?' };
      const open = (id: string) => () =>
        storage.database.turns.openWithinBudgets({ ...question, requestId: id }, { id, tokens: 1, budgets });
      // A call that passed the budget check blocks at this table, so both calls overlap.
      const opened = await runConcurrently<object>(storage, 'conversations', [open('one'), open('another')]);
      expect(opened.filter((turn) => 'refused' in turn)).to.have.length(1);
      expect(await storage.rows('select from chat_messages')).to.have.length(1);
    });
  }

  it('do not deadlock with the deletion of their user', async () => {
    const { conversationId } = await ask(storage, avery);
    const reservation = { id: 'reservation', tokens: 1, budgets: { user: 1, organization: 1 } };
    const question = { ...avery, conversationId, content: 'And then?', requestId: 'request 2' };
    const open = () => storage.database.turns.openWithinBudgets(question, reservation);
    const remove = () => storage.administration.deleteUser(avery.userId);
    const [opened] = await runConcurrently<unknown>(storage, 'chat_messages', [open, remove]);
    expect(opened).to.include({ conversationId });
    expect(await storage.rows('select id from users')).to.deep.equal([]);
  });

  it('fail after a second, and can be retried, if another transaction locks their user', async () => {
    const failure = await storage.orm.em.fork().transactional(async (em) => {
      await em.execute('select 1 from users where id = ? for update', [avery.userId]);
      return refusal(ask(storage, avery));
    });
    expect(failure).to.include({ code: 'UPSTREAM_OVERLOADED' });
    expect(await ask(storage, avery)).to.have.property('conversationId');
  });

  it('are refused if their user is moved to another organization while they are being opened', async () => {
    const { orgId } = await newcomer(storage, 'Casey');
    const budgets = { user: 1, organization: 1 };
    const question = { ...avery, conversationId: undefined, content: 'Where?', requestId: 'r' };
    const opened = await storage.orm.em.fork().transactional(async (em) => {
      await em.execute('select pg_advisory_xact_lock(521, hashtext(?))', [avery.orgId]);
      const opening = storage.database.turns.openWithinBudgets(question, { id: 'reservation', tokens: 1, budgets });
      await waitForLocks(storage, 1);
      await storage.administration.moveUser(avery.userId, orgId);
      return { refusal: refusal(opening) };
    });
    expect(await opened.refusal).to.include({ code: 'UNAUTHENTICATED' });
    expect(await storage.rows('select from conversations')).to.deep.equal([]);
  });
});

describe('the deletion of an organization, on a PostgreSQL server', () => {
  const storage = perTest(createServerDatabase);
  const avery = perTest(() => newcomer(storage, 'Avery'));

  it('does not deadlock with the deletion of one of its members', async () => {
    const { deleteOrganization, deleteUser } = storage.administration;
    const removeOrganization = () => deleteOrganization(avery.orgId).catch((error: Error) => error.message);
    const [, outcome] = await runConcurrently<unknown>(storage, 'memberships', [
      () => deleteUser(avery.userId),
      removeOrganization,
    ]);
    // Deleting the last member has also deleted the organization.
    expect(outcome).to.equal(`There is no organization ${avery.orgId}.`);
    expect(await storage.rows('select id from users')).to.deep.equal([]);
  });

  for (const [title, arrive] of [
    ['a user who joins it', join],
    ['a user who signs up for it', signUp],
  ] as const) {
    it(`does not deadlock with ${title}, and invalidates the invitation`, async () => {
      const casey = await newcomer(storage, 'Casey');
      const { token } = await storage.administration.invite({ days: 1, organization: avery.orgId });
      const remove = () => storage.administration.deleteOrganization(avery.orgId);
      const arriving = () => arrive(storage, { token, casey, to: avery.orgId });
      await runConcurrently<unknown>(storage, 'invitations', [remove, arriving]);
      expect(await storage.rows('select id from organizations where id = ?', [avery.orgId])).to.deep.equal([]);
      expect(await storage.rows('select id from invitations')).to.deep.equal([]);
    });
  }
});

type Invited = { token: string; casey: Scope; to: string };

function join(storage: TestDatabase, { token, casey, to }: Invited): Promise<unknown> {
  const confirmed = { from: casey.orgId, to };
  return storage.database.users.join({ userId: casey.userId, invitation: token, confirmed }, auditSource);
}

function signUp(storage: TestDatabase, { token }: Invited): Promise<unknown> {
  return storage.database.users.signIn({
    ...signInDetails({ subject: 'drew', name: 'Drew', email: null }),
    invitation: token,
    maySignUp: false,
  });
}
