import { join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { pino } from 'pino';
import { createRepositories, type Database } from '../../server/database/database.ts';
import { createAdministration } from '../../server/database/operators/administration.ts';
import { noTimeLimit, type Orm, openOrm } from '../../server/database/orm.ts';
import { migrate } from '../../server/database/schema/run-migrations.ts';
import { tenantRole } from '../../server/database/tenant.ts';
import { acrossOrganizations, inOrganization } from '../../server/database/transactions.ts';
import { createId } from '../../server/database/values.ts';
import { answerIn } from '../server/database/scenes.ts';
import { createOwnedDatabase } from '../server/database/schema/empty-database.ts';
import { collect } from '../support/collect.ts';
import { idOf, organizationOf, populate, scopeOf } from '../support/population.ts';
import { root } from '../support/served-process.ts';
import { run } from '../support/server-process.ts';

const silent = pino({ level: 'silent' });
const people = 200;

describe('docs/deploy/partition-messages.sql', () => {
  const opened = new AsyncDisposableStack();
  let orm: Orm;
  let database: Database;
  let administration: ReturnType<typeof createAdministration>;
  let exportedBefore: unknown;

  const rows = (statement: string, parameters: unknown[] = []) =>
    acrossOrganizations(orm, (em) => em.execute<Record<string, unknown>[]>(statement, parameters));
  const ask = (person: number, conversation = 2) =>
    database.turns.open({
      ...scopeOf(person),
      conversationId: idOf('conversation', person, conversation),
      content: 'Where do we start?',
      requestId: createId(),
    });
  const exported = async (person: number) => {
    const {
      exported_at: _at,
      audit_events: _trail,
      ...rest
    } = JSON.parse((await collect(administration.exportUser(idOf('person', person)))).join(''));
    return rest;
  };

  before(async () => {
    const { url } = opened.use(await createOwnedDatabase());
    orm = await openOrm({ kind: 'postgresql', url }, silent, noTimeLimit);
    await migrate(orm, { isShared: true });
    await populate(orm, { people, turnsOfPerson: 4 });
    database = await createRepositories(orm, silent);
    opened.defer(database.close);
    administration = createAdministration(orm, 'operator of the tests');
    // Prepares the statements on this connection, which must still work once the table is replaced.
    await database.turns.close(answerIn((await ask(1)).conversationId, scopeOf(1), { id: createId() }));
    exportedBefore = await exported(7);
    await run('psql', [url, '--quiet', '--file', join(root, 'docs/deploy/partition-messages.sql')]);
  });
  after(() => opened.disposeAsync());

  it('keeps every message', async () => {
    expect(await exported(7)).to.deep.equal(exportedBefore);
    const [{ count } = {}] = await rows('select count(*)::int as count from chat_messages');
    expect(count).to.equal(people * 8 + 2);
  });

  it('stores a reply only once, even if its turn is closed several times', async () => {
    const { conversationId } = await ask(2);
    const answer = answerIn(conversationId, scopeOf(2), { id: createId() });
    await Promise.all([database.turns.close(answer), database.turns.close(answer)]);
    await database.turns.close(answer);
    const stored = await rows(
      'select role from chat_messages where conversation_id = ? order by position desc limit 3',
      [conversationId],
    );
    expect(stored.map(({ role }) => role)).to.deep.equal(['ASSISTANT', 'USER', 'ASSISTANT']);
    expect(await rows('select 1 from chat_messages where id = ?', [answer.id])).to.have.length(1);
  });

  it('stores a retried question only once', async () => {
    const newIds = { conversation: createId(), message: createId() };
    const question = { ...scopeOf(3), conversationId: null, content: 'Why?', requestId: createId(), newIds };
    await database.turns.open(question);
    await database.turns.open(question);
    expect(await rows('select 1 from chat_messages where request_id = ?', [question.requestId])).to.have.length(1);
  });

  it('enforces row-level security, and grants no access to a partition itself', async () => {
    const seen = await inOrganization(orm, organizationOf(1), (em) =>
      em.execute('select distinct org_id as org from chat_messages'),
    );
    expect(seen).to.deep.equal([{ org: organizationOf(1) }]);
    const parts = await rows(
      `select relname as name, relrowsecurity and relforcerowsecurity as secured from pg_class join pg_inherits on inhrelid = oid
        where inhparent = 'chat_messages'::regclass`,
    );
    expect(parts).to.have.length(14);
    for (const { name, secured } of parts) {
      expect(secured, String(name)).to.equal(true);
      const granted = await rows('select has_table_privilege(?, ?, ?) as granted', [tenantRole, name, 'select']);
      expect(granted, String(name)).to.deep.equal([{ granted: false }]);
    }
  });

  it('stores messages of the month after next in their own partition', async () => {
    const [row] = await rows(
      `insert into chat_messages (id, org_id, user_id, conversation_id, role, content, request_id, created_at)
         values (?, ?, ?, ?, 'USER', 'Later', 'later', date_trunc('month', now()) + interval '2 months 3 days')
         returning tableoid::regclass::text as part, to_char(created_at, '"chat_messages_"YYYY_MM') as expected`,
      [createId(), organizationOf(4), idOf('person', 4), idOf('conversation', 4, 1)],
    );
    expect(row?.part).to.equal(row?.expected);
  });

  it('stores messages of a month without a partition in the default one, and leaves them there when the partition of that month is created', async () => {
    await rows(
      `insert into chat_messages (id, org_id, user_id, conversation_id, role, content, request_id, created_at)
         values (?, ?, ?, ?, 'USER', 'Late', 'late', date_trunc('month', now()) + interval '14 months 3 days')`,
      [createId(), organizationOf(4), idOf('person', 4), idOf('conversation', 4, 1)],
    );
    await rows('select make_message_months(15)::text');
    const found = await rows(`select tableoid::regclass::text as part from chat_messages where request_id = 'late'`);
    expect(found).to.deep.equal([{ part: 'chat_messages_other' }]);
  });

  it('supports finding messages by request id, pruning them, and deleting them with their users', async () => {
    const { messages } = await administration.findRequest(idOf('request', 5, 1), 100);
    expect(messages.map(({ role }) => role)).to.deep.equal(['USER', 'ASSISTANT']);
    expect(await database.prune(200, 'service')).to.include({ conversations: 100 });
    await administration.deleteUser(idOf('person', 6));
    expect(await rows('select 1 from chat_messages where user_id = ?', [idOf('person', 6)])).to.deep.equal([]);
  });

  it('needs no migration afterwards', async () => {
    expect(await migrate(orm, { isShared: true })).to.deep.equal([]);
  });
});
