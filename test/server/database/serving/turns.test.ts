import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { type Budgets, createNewIds } from '../../../../server/database/serving/turns.ts';
import type { Scope } from '../../../../server/database/tenant.ts';
import { perTest } from '../../../support/per-suite.ts';
import { createTestDatabase } from '../../../support/test-database.ts';
import { answerIn, ask, newcomer, refusal } from '../scenes.ts';

const hour = 3600;
const day = 24 * hour;

describe('turns.open', () => {
  const storage = perTest(() => createTestDatabase());
  const avery = perTest(() => newcomer(storage, 'Avery'));

  const messages = () => storage.rows('select conversation_id, role, content from chat_messages order by position');

  for (const [title, change] of [
    [
      'moved to another organization',
      async (userId) => {
        const casey = await newcomer(storage, 'Casey');
        await storage.administration.moveUser(userId, casey.orgId);
      },
    ],
    ['suspended', (userId) => storage.administration.suspendUser(userId)],
    ['deleted', (userId) => storage.administration.deleteUser(userId)],
  ] as [string, (userId: string) => Promise<unknown>][]) {
    it(`rejects with UNAUTHENTICATED and writes nothing once the user has been ${title}`, async () => {
      const { conversationId } = await ask(storage, avery);
      await change(avery.userId);
      const written = await messages();
      for (const asked of [{ conversationId }, {}]) {
        expect(await refusal(ask(storage, avery, asked))).to.include({ code: 'UNAUTHENTICATED' });
      }
      expect(await messages()).to.deep.equal(written);
    });
  }

  describe('a retry', () => {
    const question = { content: 'NUL \0, lone \uD800 and ? $1 \\? \' "', requestId: 'r \uDC00' };

    for (const [title, changes, between, count] of [
      ['of the last, unanswered question writes no row', {}, async () => {}, 1],
      ['with another request id is a new question', { requestId: 'request 2' }, async () => {}, 2],
      ['with other content is a new question', { content: 'And then?' }, async () => {}, 2],
      [
        'of an answered question is a new question, even if the answer repeats it',
        {},
        (id: string) => storage.database.turns.close(answerIn(id, avery, question)),
        3,
      ],
      [
        'of an earlier question is a new question',
        {},
        (id: string) => ask(storage, avery, { ...question, requestId: 'request 2', conversationId: id }),
        3,
      ],
    ] as const) {
      it(title, async () => {
        const { conversationId } = await ask(storage, avery, question);
        await between(conversationId);
        const retried = await ask(storage, avery, { ...question, conversationId, ...changes });
        expect(retried.conversationId).to.equal(conversationId);
        expect(await messages()).to.have.length(count);
      });
    }
  });
});

describe('a turn that is opened again with the same ids', () => {
  const storage = perTest(() => createTestDatabase());
  const avery = perTest(() => newcomer(storage, 'Avery'));

  it('writes nothing and returns the first result, even if its budget is used up or another question has followed', async () => {
    const newIds = createNewIds();
    const asked = { conversationId: undefined, content: 'Where do we start?', requestId: 'request 1', newIds };
    const reservation = { id: 'reservation', tokens: 10, budgets: { user: 1, organization: 1 } };
    const open = () => storage.database.turns.openWithinBudgets({ ...avery, ...asked }, reservation);
    const first = await open();
    expect(await open()).to.deep.equal(first);
    await ask(storage, avery, { conversationId: newIds.conversation, content: 'And then?' });
    expect(await open()).to.deep.equal(first);
    const [stored, ...others] = await storage.rows('select id, conversation_id from chat_messages order by position');
    expect(stored).to.deep.equal({ id: newIds.message, conversation_id: newIds.conversation });
    expect(others).to.have.length(1);
    expect(await storage.rows('select id from conversations')).to.have.length(1);
    expect(await storage.rows('select id from token_uses')).to.deep.equal([{ id: 'reservation' }]);
  });
});

describe('a reservation that is never settled', () => {
  const storage = perTest(() => createTestDatabase());
  const avery = perTest(() => newcomer(storage, 'Avery'));

  const uses = () => storage.rows('select id, tokens, settled from token_uses order by used_at');
  const pass = (minutes: number) =>
    storage.rows(`update token_uses set used_at = used_at - ? * interval '1 minute'`, [minutes]);
  const reserve = (
    id: string,
    budgets: { user: number | undefined; organization: number | undefined },
    scope: Scope = avery,
  ) =>
    storage.database.turns.openWithinBudgets(
      { ...scope, conversationId: undefined, content: 'Where do we start?', requestId: id },
      { id, tokens: 1000, budgets },
    );

  for (const [whose, budgets] of [
    ['user', { user: 1000, organization: undefined }],
    ['organization', { user: undefined, organization: 1000 }],
  ] as const) {
    it(`counts against the budget of the ${whose} for one hour`, async () => {
      const casey = await newcomer(storage, 'Casey');
      await storage.administration.moveUser(casey.userId, avery.orgId);
      await reserve('orphaned', budgets, whose === 'user' ? avery : { ...casey, orgId: avery.orgId });
      await pass(59);
      expect(await reserve('refused', budgets)).to.have.nested.property('refused.whose', whose);
      await pass(1);
      const users = (await storage.administration.listUsers()).rows;
      expect(users.map(({ tokensUsed }) => tokensUsed)).to.deep.equal([0, 0]);
      expect(await reserve('admitted', budgets)).to.have.property('conversationId');
      expect((await uses())[0]).to.deep.equal({ id: 'orphaned', tokens: 0, settled: true });
    });
  }

  it('is replaced by the used tokens if the turn is settled later', async () => {
    const budgets = { user: 5000, organization: 5000 };
    await reserve('late', budgets);
    await pass(90);
    await reserve('next', budgets);
    await storage.database.turns.settle(avery, { id: 'late', tokens: 700 });
    expect((await uses())[0]).to.deep.equal({ id: 'late', tokens: 700, settled: true });
  });
});

describe('a turn within budgets', () => {
  const storage = perTest(() => createTestDatabase());
  const avery = perTest(() => newcomer(storage, 'Avery'));

  const open = (id: string, budgets: Partial<Budgets>, scope: Scope = avery) =>
    storage.database.turns.openWithinBudgets(
      { ...scope, conversationId: undefined, content: 'Where do we start?', requestId: id },
      { id, tokens: 1000, budgets: { user: undefined, organization: undefined, ...budgets } },
    );

  /** Inserts `count` uses of 10 tokens each, of which the first is `oldestSeconds` old and each following one second younger. */
  const insertUses = (
    name: string,
    { count = 1, oldestSeconds = 0, settled = true },
    { orgId, userId }: Scope = avery,
  ) =>
    storage.rows(
      `insert into token_uses select ? || number, ?, ?, 10, ?::boolean, clock_timestamp() - (? - number) * interval '1 second'
         from generate_series(0, ? - 1) number`,
      [name, orgId, userId, settled, oldestSeconds, count],
    );

  it('is refused with a wait that lasts until the tokens no longer count', async () => {
    await open('used', { user: 1000 });
    await storage.database.turns.settle(avery, { id: 'used', tokens: 1000 });
    await storage.rows(`update token_uses set used_at = clock_timestamp() - interval '24 hours' + interval '90.999 s'`);
    const refused = await open('refused', { user: 1000 });
    const [use] = await storage.rows(
      `select extract(epoch from used_at + interval '24 hours' - clock_timestamp())::float8 as seconds from token_uses`,
    );
    expect(refused).to.have.nested.property('refused.retryAfterSeconds').that.is.at.least(Number(use?.seconds));
  });

  for (const whose of ['user', 'organization'] as const) {
    it(`is admitted or refused to the exact token of the budget of the ${whose}, without expired and abandoned uses and those of others`, async () => {
      const casey = await newcomer(storage, 'Casey');
      const drew = await newcomer(storage, 'Drew');
      await storage.administration.moveUser(casey.userId, avery.orgId);
      const colleague = { ...casey, orgId: avery.orgId };
      await insertUses('of another', { count: 4, oldestSeconds: day - 100 }, whose === 'user' ? colleague : drew);
      await insertUses('expired', { count: 50, oldestSeconds: day + 60 });
      await insertUses('abandoned', { count: 3, oldestSeconds: 2 * hour, settled: false });
      await insertUses('older and abandoned', { count: 2, oldestSeconds: day - 300, settled: false });
      await insertUses('used', { count: 7, oldestSeconds: day - 600 }, whose === 'user' ? avery : colleague);
      // The 70 tokens must fall below 45, so the three oldest uses must expire.
      const refused = await open('refused', { [whose]: 45 });
      expect(refused).to.have.nested.property('refused.retryAfterSeconds').that.is.within(601, 602);
      expect(await open('refused', { [whose]: 70 })).to.have.nested.property('refused.whose', whose);
      expect(await storage.rows('select from token_uses')).to.have.length(66);
      expect(await open('admitted', { [whose]: 71 })).to.have.property('conversationId');
    });
  }

  it('deletes uses that are a day old, and no more recent ones, of all members of the organization, some with each turn', async () => {
    // A plan for an empty table executes a subquery once per row.
    await storage.rows('vacuum analyze token_uses');
    const casey = await newcomer(storage, 'Casey');
    await storage.administration.moveUser(casey.userId, avery.orgId);
    await insertUses('expired', { count: 25, oldestSeconds: day + 60 }, { ...casey, orgId: avery.orgId });
    await insertUses('younger', { oldestSeconds: day - 60 });
    const remaining = (prefix: string) => storage.rows('select tokens from token_uses where id like ?', [`${prefix}%`]);
    await open('first', { user: 10_000 });
    expect(await remaining('expired')).to.have.length(5);
    await open('second', { user: 10_000 });
    expect(await remaining('expired')).to.deep.equal([]);
    expect(await remaining('younger')).to.deep.equal([{ tokens: 10 }]);
  });

  it('is checked against sums that equal the stored uses after every kind of change', async () => {
    const casey = await newcomer(storage, 'Casey');
    await storage.administration.moveUser(casey.userId, avery.orgId);
    const guest = { ...casey, orgId: avery.orgId };
    const sums = async () => {
      const [row] = await storage.rows(
        `select (select json_object_agg(user_id || ' in ' || org_id, tokens) from member_token_sums where tokens > 0) as members,
                (select json_object_agg(org_id, tokens) from organization_token_sums where tokens > 0) as organizations`,
      );
      return row;
    };
    const nameOf = ({ userId, orgId }: Scope) => `${userId} in ${orgId}`;

    await insertUses('a', { count: 3 });
    await insertUses('c', { count: 2 }, guest);
    await insertUses('o', {}, casey);
    const organizations = { [avery.orgId]: 50, [casey.orgId]: 10 };
    const members = { [nameOf(avery)]: 30, [nameOf(guest)]: 20, [nameOf(casey)]: 10 };
    expect(await sums()).to.deep.equal({ members, organizations });

    await storage.rows(`update token_uses set tokens = tokens + 1, settled = false`);
    await storage.rows(`delete from token_uses where id in ('a0', 'c0')`);
    expect(await sums()).to.deep.equal({
      members: { [nameOf(avery)]: 22, [nameOf(guest)]: 11, [nameOf(casey)]: 11 },
      organizations: { [avery.orgId]: 33, [casey.orgId]: 11 },
    });

    await storage.administration.deleteUser(casey.userId);
    expect(await sums()).to.deep.equal({ members: { [nameOf(avery)]: 22 }, organizations: { [avery.orgId]: 22 } });
  });
});

describe('turns.close', () => {
  let conversationId: string;

  const storage = perTest(() => createTestDatabase());
  const avery = perTest(() => newcomer(storage, 'Avery'));
  beforeEach(async () => {
    conversationId = (await ask(storage, avery)).conversationId;
  });

  const answers = () => storage.rows(`select * from chat_messages where role = 'ASSISTANT' order by position`);
  const lastMessageAt = async () => {
    const [row] = await storage.rows('select last_message_at from conversations');
    return row?.last_message_at;
  };

  it('is idempotent for the same id, even weeks later', async () => {
    const answer = answerIn(conversationId, avery);
    await storage.database.turns.close(answer);
    const bumpedAt = await lastMessageAt();
    await storage.rows(`update chat_messages set created_at = created_at - interval '27 days'`);
    await storage.rows('update conversations set last_message_at = ?', ['2026-01-01T00:00:00Z']);
    await storage.database.turns.close({ ...answer, content: 'Something else.' });
    expect(bumpedAt).not.to.equal(null);
    expect(new Date(String(await lastMessageAt())).toISOString()).to.equal('2026-01-01T00:00:00.000Z');
    expect((await answers()).map((row) => row.content)).to.deep.equal(['With the longest wait.']);
  });

  it('orders messages by insertion, regardless of clocks', async () => {
    await storage.database.turns.close(answerIn(conversationId, avery));
    await storage.rows(`update chat_messages set created_at = '2000-01-01' where role = 'ASSISTANT'`);
    const roles = await storage.rows('select role from chat_messages order by position');
    expect(roles).to.deep.equal([{ role: 'USER' }, { role: 'ASSISTANT' }]);
  });

  for (const [title, remove] of [
    ['the user', (administration) => administration.deleteUser(avery.userId)],
    ['the organization', (administration) => administration.deleteOrganization(avery.orgId)],
    ['the conversation', () => storage.rows('delete from conversations')],
  ] as [string, (administration: typeof storage.administration) => Promise<unknown>][]) {
    it(`writes nothing and does not fail after ${title} has been deleted, with or without a settlement`, async () => {
      await remove(storage.administration);
      const settlement = { id: 'reservation', tokens: 9 };
      await storage.database.turns.close(answerIn(conversationId, avery), settlement);
      await storage.database.turns.settle(avery, settlement);
      expect(await answers()).to.have.length(0);
    });
  }

  it('settles the reservation even if the conversation has been deleted', async () => {
    const reservation = { id: 'reservation', tokens: 10, budgets: { user: 1000, organization: 1000 } };
    const question = { ...avery, conversationId, content: 'And then?', requestId: 'request 2' };
    await storage.database.turns.openWithinBudgets(question, reservation);
    await storage.rows('delete from conversations');
    await storage.database.turns.close(answerIn(conversationId, avery), { id: 'reservation', tokens: 9 });
    expect(await storage.rows('select tokens, settled from token_uses')).to.deep.equal([{ tokens: 9, settled: true }]);
  });
});
