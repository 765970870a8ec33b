import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pino } from 'pino';
import { migrate } from '../../../server/database/migrate.ts';
import { type Orm, openOrm, unhurried } from '../../../server/database/orm.ts';
import { acrossOrganizations } from '../../../server/database/transactions.ts';
import { eventually } from '../../support/eventually.ts';
import { createEmptyDatabase } from './empty-database.ts';

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
