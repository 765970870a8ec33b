import { promisify } from 'node:util';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { pino } from 'pino';
import { createRepositories, type Database } from '../../../../server/database/database.ts';
import { createAdministration } from '../../../../server/database/operators/administration.ts';
import { noTimeLimit, openOrm } from '../../../../server/database/orm.ts';
import { migrate } from '../../../../server/database/schema/run-migrations.ts';
import { acrossOrganizations } from '../../../../server/database/transactions.ts';
import { createId } from '../../../../server/database/values.ts';
import { collect } from '../../../support/collect.ts';
import { auditSource, signInDetails } from '../../../support/people.ts';
import { idOf, organizationOf, populate, scopeOf } from '../../../support/population.ts';
import { required, testDatabaseUrl } from '../../../support/services.ts';
import { answerIn } from '../scenes.ts';
import { createOwnedDatabase } from '../schema/empty-database.ts';
import { openWatchedDatabase, type WatchedPlan } from './watched-plans.ts';

const silent = pino({ level: 'silent' });

/** Enough rows that a sequential scan is the slower plan for every table. */
const population = { people: 10_000, turnsOfPerson: 2 };

/** A statement that reads more rows of one table than this fails the test. */
const maxRows = 1_000;

/** PostgreSQL uses a custom plan for the first five executions and can then switch to a generic one. */
const executions = 7;

const budgets = { user: 10_000_000, organization: 10_000_000 };

type Administration = ReturnType<typeof createAdministration>;
type Act = (parts: { database: Database; administration: Administration }, person: number) => Promise<unknown>;

const ask = (person: number, named?: number) => ({
  ...scopeOf(person),
  conversationId: named === undefined ? undefined : idOf('conversation', person, named),
  content: 'Where do we start?',
  requestId: createId(),
});

const answer = (person: number) =>
  answerIn(idOf('conversation', person, 2), scopeOf(person), { id: createId(), requestId: 'request' });

/** One user has sent the same question with the same request id 1,000 times, in two conversations. */
const repetition = (() => {
  const person = 900;
  const sent = { ...ask(person, 2), requestId: 'once' };
  const conversations = [1, 2].map((conversation) => idOf('conversation', person, conversation));
  return {
    sent,
    statement: `insert into chat_messages (id, org_id, user_id, conversation_id, role, request_id, content)
      select gen_random_uuid()::text, ?, ?, conversation, 'USER', ?, ?
        from generate_series(1, 500), unnest(string_to_array(?, ' ')) conversation`,
    parameters: [sent.orgId, sent.userId, sent.requestId, sent.content, conversations.join(' ')],
  };
})();

const detailsOf = (subject: string) => signInDetails({ subject, name: 'Avery', email: null });

/** The database operations of requests, and the periodic deletions, which come last. */
const requestOperations: Record<string, Act> = {
  'finding a session': ({ database: { sessionStore } }, person) =>
    promisify(sessionStore.get.bind(sessionStore))(idOf('session', person)),
  'checking which sessions are active': ({ database }, person) =>
    database.sessionStore.findActive([idOf('session', person), 'gone']),
  'opening a turn in a new conversation': ({ database }, person) => database.turns.open(ask(person)),
  'opening a turn in a conversation': ({ database }, person) => database.turns.open(ask(person, 2)),
  'opening a turn within budgets': ({ database }, person) =>
    database.turns.openWithinBudgets(ask(person, 2), { id: createId(), tokens: 10, budgets }),
  'closing a turn': ({ database }, person) => database.turns.close(answer(person)),
  'closing a turn within budgets': ({ database }, person) =>
    database.turns.close(answer(person), { id: idOf('use', person, 1), tokens: 9 }),
  'settling a turn': ({ database }, person) =>
    database.turns.settle(scopeOf(person), { id: idOf('use', person, 2), tokens: 9 }),
  'signing in': ({ database }, person) => database.users.signIn(detailsOf(`10${person}`)),
  'signing up': ({ database }) => database.users.signIn(detailsOf(createId())),
  'joining another organization': async ({ database, administration }, person) => {
    const to = organizationOf(person + 2_500);
    const { token: invitation } = await administration.invite({ days: 1, organization: to });
    const asked = { userId: idOf('person', person), invitation };
    const question = await database.users.join(asked, auditSource);
    if (question === null || question === 'joined') throw new Error('Expected a join question.');
    const confirmed = { from: question.from.id, to };
    expect(await database.users.join({ ...asked, confirmed }, auditSource)).to.equal('joined');
  },
  'onboarding a user': async ({ database, administration }, person) => {
    await administration.setOnboarded(idOf('person', person), false);
    const form = { profile: { role: 'Head' }, engagement: { hypotheses: [], unknowns: [] } };
    expect(await database.engagements.begin(scopeOf(person), form, auditSource)).to.equal(true);
  },
  'signing out everywhere': ({ database }, person) => database.users.signOut(idOf('person', person), null, auditSource),
  'deleting sessions that have ended': ({ database: { sessionStore } }) => sessionStore.prune(),
  'deleting a batch of old conversations': ({ database }) => database.prune(200, 'service'),
};

const operatorCommands: Record<string, Act> = {
  'find-request': ({ administration }, person) => administration.findRequest(idOf('request', person, 1), 100),
  'show-engagement': ({ administration }, person) => administration.engagementState(idOf('person', person)),
  'export-user': ({ administration }, person) => collect(administration.exportUser(idOf('person', person))),
  'export-organization': ({ administration }, person) =>
    collect(administration.exportOrganization(organizationOf(person))),
  'move-user': ({ administration }, person) =>
    administration.moveUser(idOf('person', person), organizationOf(person + 5_000)),
  'suspend-user': ({ administration }, person) => administration.suspendUser(idOf('person', person)),
  'sign-out-user': ({ administration }, person) => administration.signOutUser(idOf('person', person)),
  'delete-user': ({ administration }, person) => administration.deleteUser(idOf('person', person + 1), { block: true }),
  'delete-organization': ({ administration }, person) => administration.deleteOrganization(organizationOf(person)),
};

describe(`with ${population.people.toLocaleString('en')} users, under row-level security`, () => {
  const opened = new AsyncDisposableStack();
  let watched: Awaited<ReturnType<typeof openWatchedDatabase>>;
  let parts: Parameters<Act>[0];

  before(async () => {
    const { url, owner: login } = opened.use(await createOwnedDatabase());
    await using owner = await openOrm({ kind: 'postgresql', url }, silent, noTimeLimit);
    await migrate(owner, { isShared: true });
    await populate(owner, population);
    await acrossOrganizations(owner, (em) => em.execute(repetition.statement, repetition.parameters));
    watched = await openWatchedDatabase(required(testDatabaseUrl), url, login);
    const { orm } = watched;
    const database = await createRepositories(orm, silent);
    opened.defer(database.close);
    parts = { database, administration: createAdministration(orm, 'operator of the tests') };
  });
  after(() => opened.disposeAsync());

  for (const [whose, acts] of Object.entries({ requestOperations, operatorCommands })) {
    describe(whose === 'requestOperations' ? 'requests' : 'operator commands', () => {
      for (const [number, [title, act]] of Object.entries(acts).entries()) {
        it(`${title} scans no table sequentially`, async () => {
          // Each test uses different users, because some tests delete theirs.
          const first = 1_001 + 1_000 * (whose === 'requestOperations' ? 0 : 1) + number * 50;
          for (let time = 0; time < executions; time += 1) {
            const plans = await watched.plansOf(() => act(parts, first + time * 5));
            expect(plans.flatMap(({ scans }) => scans)).not.to.be.empty;
            expect(plans.filter((plan) => readsWholeTable(plan) || plan.compiled)).to.deep.equal([]);
          }
        });
      }
    });
  }

  it('opening a turn reads only the last message of its conversation', async () => {
    const { sent } = repetition;
    for (const question of [sent, { ...sent, conversationId: undefined }, { ...sent, requestId: 'another' }]) {
      for (let time = 0; time < executions; time += 1) {
        const plans = await watched.plansOf(() => parts.database.turns.open(question));
        const scans = plans.flatMap((plan) => plan.scans).filter(({ table }) => table === 'chat_messages');
        const indexes = ['chat_messages_pkey', 'chat_messages_conversation_id_position_index'];
        expect(scans).not.to.be.empty;
        expect(scans.filter(({ index = '', rows }) => !indexes.includes(index) || rows > 1)).to.deep.equal([]);
      }
    }
  });

  it('opening a turn within budgets reads as many rows after 6,000 turns in a day as after 60, also at the limit', async () => {
    const { openWithinBudgets } = parts.database.turns;
    const rowsRead = async (person: number, turns: number) => {
      const sum = await replaceUses(person, turns);
      const counts: number[] = [];
      for (const budget of [2 * sum, sum]) {
        for (let time = 0; time < executions; time += 1) {
          const reservation = { id: createId(), tokens: 10, budgets: { user: budget, organization: budget } };
          const plans = await watched.plansOf(() => openWithinBudgets(ask(person, 2), reservation));
          counts.push(plans.flatMap(({ scans }) => scans).reduce((total, { rows }) => total + rows, 0));
        }
      }
      return counts;
    };
    const few = await rowsRead(801, 60);
    expect(await rowsRead(851, 6_000)).to.deep.equal(few);
  });

  describe('exporting a user', () => {
    /** Returns the number of statements that read messages, and of the rows that they and all others read. */
    const exportOf = async (person: number) => {
      const plans = await watched.plansOf(() => collect(parts.administration.exportUser(idOf('person', person))));
      const reading = plans.filter(({ scans }) => scans.some(({ table }) => table === 'chat_messages'));
      const rows = plans.flatMap(({ scans }) => scans).reduce((total, scan) => total + scan.rows, 0);
      return { statements: reading.length, rows };
    };

    for (const [title, few, many] of [
      ['conversations', { conversations: 60, messages: 4 }, { conversations: 600, messages: 4 }],
      ['messages of a conversation', { conversations: 1, messages: 1_000 }, { conversations: 1, messages: 10_000 }],
    ] as const) {
      it(`executes one statement per page of messages, and reads ten times as many rows for ten times the ${title}`, async () => {
        const [person, other] = title === 'conversations' ? [701, 706] : [711, 716];
        await addMessages(person, few);
        await addMessages(other, many);
        const exported = await exportOf(other);
        expect(exported.statements).to.be.within(2, 2 + (many.conversations * many.messages) / 500 + 1);
        expect(exported.rows).to.be.below(11 * (await exportOf(person)).rows);
      });
    }

    it('reads fewer messages per statement if they are large', async () => {
      await addMessages(721, { conversations: 1, messages: 20, words: 200_000 });
      expect((await exportOf(721)).statements).to.be.at.least(7);
    });
  });

  const addMessages = (
    person: number,
    { conversations, messages, words = 1 }: { conversations: number; messages: number; words?: number },
  ) =>
    acrossOrganizations(watched.orm, async (em) => {
      const { orgId, userId } = scopeOf(person);
      await em.execute(
        `insert into conversations (id, org_id, user_id)
           select gen_random_uuid()::text, ?, ? from generate_series(1, ?)`,
        [orgId, userId, conversations],
      );
      await em.execute(
        `insert into chat_messages (id, org_id, user_id, conversation_id, role, content, request_id)
           select gen_random_uuid()::text, org_id, user_id, conversations.id, 'USER', repeat('word ', ?), 'request'
             from conversations, generate_series(1, ?) where user_id = ? and last_message_at is null`,
        [words, messages, userId],
      );
    });

  /** Replaces the uses of an organization by uses of one user in the last day, and returns their sum. */
  const replaceUses = (person: number, turns: number) =>
    acrossOrganizations(watched.orm, async (em) => {
      const { orgId, userId } = scopeOf(person);
      await em.execute('delete from token_uses where org_id = ?', [orgId]);
      await em.execute(
        `insert into token_uses (id, org_id, user_id, tokens, settled, used_at)
           select gen_random_uuid()::text, ?, ?, 10000, true, now() - number * interval '23 hours' / ?
             from generate_series(1, ?) number`,
        [orgId, userId, turns, turns],
      );
      return 10_000 * turns;
    });
});

function readsWholeTable({ scans }: WatchedPlan): boolean {
  return scans.some(({ type, rows }) => type === 'Seq Scan' || rows > maxRows);
}
