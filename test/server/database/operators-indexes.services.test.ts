import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pino } from 'pino';
import { createDirectory } from '../../../server/database/directory.ts';
import { createListing } from '../../../server/database/listing.ts';
import { migrate } from '../../../server/database/migrate.ts';
import type { Operation } from '../../../server/database/operation.ts';
import { type EntityManager, type Orm, openOrm, unhurried } from '../../../server/database/orm.ts';
import { createRequestSearch } from '../../../server/database/request-search.ts';
import { tenantRole } from '../../../server/database/tenant.ts';
import { acrossOrganizations } from '../../../server/database/transactions.ts';
import { collected } from '../../support/collected.ts';
import { eventually } from '../../support/eventually.ts';
import { required, testDatabaseUrl } from '../../support/services.ts';
import { onServer } from '../../support/test-database.ts';
import { createEmptyDatabase, createServerUser } from './empty-database.ts';

const silent = pino({ level: 'silent' });
const open = (url: string) => openOrm({ kind: 'postgresql', url }, silent, unhurried);

/** So many people, each in an organization of their own, with a conversation of two messages. */
async function populate(orm: Orm, people: number): Promise<void> {
  await acrossOrganizations(orm, async (em) => {
    const numbers = `generate_series(1, ${people}) number`;
    await em.execute(`insert into organizations (id, name) select 'o' || number, 'Castings' from ${numbers}`);
    await em.execute(
      `with people as (insert into users (id, org_id, name) select 'u' || number, 'o' || number, 'Avery' from ${numbers} returning *),
       members as (insert into memberships (user_id, org_id) select id, org_id from people)
       insert into identities (provider, subject, user_id) select 'github', id, id from people`,
    );
    await em.execute(
      `insert into conversations (id, org_id, user_id) select 'c' || number, 'o' || number, 'u' || number from ${numbers}`,
    );
    await em.execute(
      `insert into chat_messages (id, org_id, user_id, conversation_id, role, content, request_id)
         select role || number, 'o' || number, 'u' || number, 'c' || number, role, 'Text', 'request ' || number
           from ${numbers}, unnest(string_to_array('USER,ASSISTANT', ',')) role`,
    );
  });
}

describe('the migration of what operators look for, on a database in use', () => {
  const state = (orm: Orm) =>
    orm.em.fork().execute(
      `select relname as name, indisvalid as valid from pg_index join pg_class on oid = indexrelid
        where relname like any (string_to_array('%_created_at_id_index,%_request_id_index', ',')) order by 1`,
    );
  const indexes = [
    'audit_events_request_id_index',
    'chat_messages_request_id_index',
    'conversations_created_at_id_index',
    'invitations_created_at_id_index',
    'organizations_created_at_id_index',
    'users_created_at_id_index',
  ].map((name) => ({ name, valid: true }));

  it('keeps nobody from writing, not even while it waits for somebody who writes', async () => {
    await using empty = await createEmptyDatabase();
    await using migrating = await open(empty.url);
    await using others = await open(empty.url);
    await migrating.migrator.up({ to: '2026-11-22-budgets' });
    await populate(others, 50);

    let migration: Promise<unknown> | undefined;
    await others.em.fork().transactional(async (em) => {
      await em.execute(`insert into audit_events (action) values ('under way')`);
      await em.execute(`update chat_messages set stop_reason = 'end_turn' where id = 'ASSISTANT1'`);
      migration = migrate(migrating, { shared: true });
      await eventually(async () => {
        const waiting = await others.em
          .fork()
          .execute(`select 1 from pg_stat_progress_create_index where phase like 'waiting%'`);
        return waiting.length > 0 ? true : undefined;
      });
      await others.em.fork().transactional(async (writer) => {
        await writer.execute(`set local lock_timeout = '1s'`);
        await writer.execute(`update chat_messages set stop_reason = 'end_turn' where id = 'ASSISTANT2'`);
        await writer.execute(`insert into audit_events (action) values ('meanwhile')`);
      });
    });
    await migration;
    expect(await state(others)).to.deep.equal(indexes);
  });

  it('builds an index anew that an earlier attempt has left unfinished', async () => {
    await using empty = await createEmptyDatabase();
    await using orm = await open(empty.url);
    await orm.migrator.up({ to: '2026-11-22-budgets' });
    await populate(orm, 1);
    const name = 'chat_messages_request_id_index';
    await orm.em.fork().execute(`create index ${name} on chat_messages using hash (request_id)`);
    await orm.em.fork().execute(`update pg_index set indisvalid = false where indexrelid = '${name}'::regclass`);
    await migrate(orm, { shared: true });
    expect(await state(orm)).to.deep.equal(indexes);
  });
});

describe('what operators look for, as an owner whom row-level security binds', function () {
  this.timeout(60_000);

  it('is found by indexes: a page of a list, a request', async () => {
    await using opened = new AsyncDisposableStack();
    await onServer(
      required(testDatabaseUrl),
      `do $$ begin create role ${tenantRole} nologin nosuperuser nobypassrls; exception when duplicate_object then null; end $$`,
    );
    const user = opened.use(await createServerUser(''));
    await onServer(required(testDatabaseUrl), `grant ${tenantRole} to ${user.name}`);
    const empty = opened.use(await createEmptyDatabase(user.name));
    const owner = await open(user.urlOf(empty.url));
    opened.defer(() => owner.close(true));
    await migrate(owner, { shared: true });
    await populate(owner, 20_000);
    await owner.em.fork().execute('analyze');

    const plans: string[] = [];
    /** Explains each statement in place of running it. */
    const explain: Operation = (_action, _subject, work) =>
      acrossOrganizations(owner, (em) => {
        const execute = async (statement: string, parameters: unknown[] = []) => {
          if (statement.startsWith('select set_config')) return em.execute(statement);
          const rows = await em.execute<{ 'QUERY PLAN': string }[]>(`explain ${statement}`, parameters);
          plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
          return statement.includes('::text as at, id from') ? [{ at: '2026-01-01', id: 'u1' }] : [];
        };
        return work({ execute } as unknown as EntityManager);
      });

    await createRequestSearch(explain).findRequest('request 7', 100);
    const { listUsers, listOrganizations } = createDirectory(createListing(owner, explain));
    await collected(listUsers());
    await collected(listUsers({ after: 'u1', limit: 100 }));
    await collected(listOrganizations({ after: 'o1', limit: 100 }));

    const [messages, events, first, , users, , organizations] = plans;
    expect(messages).to.include('chat_messages_request_id_index');
    expect(events).to.match(/audit_events_request_id_index|Seq Scan on audit_events/);
    expect(first).to.include('users_created_at_id_index');
    expect(users).to.match(/users_created_at_id_index.*\n +Index Cond: \(ROW/);
    expect(organizations).to.match(/organizations_created_at_id_index.*\n +Index Cond: \(ROW/);
    for (const plan of [messages, first, users, organizations]) {
      expect(plan).not.to.match(/Seq Scan on (chat_messages|users|organizations)/);
    }
  });
});
