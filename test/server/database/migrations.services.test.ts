import { PGlite } from '@electric-sql/pglite';
import { MikroORM } from '@mikro-orm/core';
import { PgliteDriver } from '@mikro-orm/pglite';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pino } from 'pino';
import { createDatabase, type Database, openDatabase } from '../../../server/database/database.ts';
import { migrate } from '../../../server/database/migrate.ts';
import { steps } from '../../../server/database/migrations.ts';
import { type Orm, openOrm, ormOptions, withoutTimeLimit } from '../../../server/database/orm.ts';
import { createLogger } from '../../../server/http/logger.ts';
import { eventually } from '../../support/eventually.ts';
import { loadEmptyArchive } from '../../support/migrated-cluster.ts';
import { signIn } from '../../support/people.ts';
import { createEmbeddedSchemaOf, createSchemaOf } from '../../support/releases.ts';
import { createEmptyDatabase, createOwnedDatabase } from './empty-database.ts';
import { ask, newcomer } from './scenes.ts';

const silent = pino({ level: 'silent' });
const open = (url: string) => openDatabase({ kind: 'postgresql', url }, silent);

/** Signs in and opens a turn, which runs as the tenant role. */
async function signInAndAsk(database: Database, subject = '1') {
  const person = await signIn(database, { provider: 'google', subject, name: null, email: null });
  const scope = { userId: person.id, orgId: person.organization.id };
  return database.turns.open({
    ...scope,
    conversationId: undefined,
    content: 'Where do we start?',
    requestId: 'request 1',
  });
}

describe('openDatabase, on a PostgreSQL server', () => {
  it('waits while another instance is migrating', async () => {
    await using empty = await createEmptyDatabase();
    await using other = await openOrm({ kind: 'postgresql', url: empty.url }, silent);
    const waits: unknown[] = [];
    const logger = createLogger({ level: 'info' }, { write: (line) => void waits.push(JSON.parse(line).msg) });
    let opening: Promise<Database> | undefined;
    await using opened = new AsyncDisposableStack();
    // An open database would keep the process alive after a failed assertion.
    opened.defer(async () => (await opening)?.close());
    await other.em.fork().transactional(async (em) => {
      await em.execute('select pg_advisory_xact_lock(5212081)');
      opening = openDatabase({ kind: 'postgresql', url: empty.url }, logger);
      await eventually(() => waits[0]);
      expect(await em.execute(`select to_regclass('users') as found`)).to.deep.equal([{ found: null }]);
      const statements = await em.execute(
        `select query from pg_stat_activity
          where datname = current_database() and state = 'active' and pid <> pg_backend_pid() and backend_type = 'client backend'`,
      );
      expect(statements, 'no statement waits for the lock: a concurrent index build would wait for it').to.deep.equal(
        [],
      );
    });
    expect(waits).to.deep.equal(['waiting for another instance to finish its migration']);
    await (await opening)?.ping();
  });

  it('migrates two databases of one server concurrently, although they share the tenant role', async () => {
    await using one = await createEmptyDatabase();
    await using another = await createEmptyDatabase();
    await using opened = new AsyncDisposableStack();
    const databases = await Promise.all(
      [one, another].map(async ({ url }) => opened.adopt(await open(url), (database) => database.close())),
    );
    for (const database of databases) {
      expect((await signInAndAsk(database)).facts.organization.name).to.equal('New organization');
    }
  });

  it('serves requests between its attempts while a long query locks a table, and completes afterwards', async () => {
    await using empty = await createEmptyDatabase();
    await createSchemaOf('the first schema', empty.url);
    const attempts: number[] = [];
    const logger = createLogger({ level: 'warn' }, { write: (line) => void attempts.push(JSON.parse(line).attempts) });
    await using migrating = await openOrm({ kind: 'postgresql', url: empty.url }, silent);
    await using others = await openOrm({ kind: 'postgresql', url: empty.url }, silent);
    const requests: number[] = [];
    let migration: Promise<string[]> | undefined;
    await others.em.fork().transactional(async (em) => {
      await em.execute('select from users');
      migration = migrate(migrating, { shared: true, logger, pauseMilliseconds: 100 });
      while (attempts.length < 2) {
        const begunAt = performance.now();
        await others.em.fork().execute('select from users');
        requests.push(performance.now() - begunAt);
      }
    });
    expect(await migration).to.include('2026-11-22-people');
    expect(Math.max(...requests)).to.be.lessThan(4_000);
    expect(attempts.slice(0, 2)).to.deep.equal([1, 2]);
  });
});

describe('migrate, on an embedded database', () => {
  it('migrates an embedded database of release 1.1.0 and preserves its rows', async () => {
    const pglite = await PGlite.create({ loadDataDir: await loadEmptyArchive() });
    await createEmbeddedSchemaOf('1.1.0', pglite);
    await pglite.exec(`insert into sessions (sid, sess, expire) values ('visitor', '{"returnTo":"/"}', 'infinity')`);
    const orm = await MikroORM.init({
      ...ormOptions(silent),
      driver: PgliteDriver,
      dbName: 'memory://',
      driverOptions: { pglite: () => pglite },
    });
    expect(await migrate(orm, { shared: false })).to.deep.equal(
      steps.slice(steps.indexOf('2026-11-25-session-person')),
    );
    const database = await createDatabase(orm, silent);
    const scope = await newcomer({ database }, 'Avery');
    expect((await ask({ database }, scope)).facts.user.name).to.equal('Avery');
    expect((await pglite.query('select sid from sessions')).rows).to.deep.equal([{ sid: 'visitor' }]);
    await database.close();
    await pglite.close();
  });
});

const openWithoutTimeout = (url: string) => openOrm({ kind: 'postgresql', url }, silent, withoutTimeLimit);

describe('the operators migration on a database in use', () => {
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

  it('does not block writes, even while it waits for another transaction', async () => {
    await using empty = await createEmptyDatabase();
    await using migrating = await openWithoutTimeout(empty.url);
    await using others = await openWithoutTimeout(empty.url);
    await migrating.migrator.up({ to: '2026-11-22-budgets' });

    let migration: Promise<unknown> | undefined;
    await others.em.fork().transactional(async (em) => {
      await em.execute(`insert into audit_events (action) values ('under way')`);
      migration = migrate(migrating, { shared: true });
      await eventually(async () => {
        const waiting = await others.em
          .fork()
          .execute(`select 1 from pg_stat_progress_create_index where phase like 'waiting%'`);
        return waiting.length > 0 ? true : undefined;
      });
      await others.em.fork().transactional(async (writer) => {
        await writer.execute(`set local lock_timeout = '1s'`);
        await writer.execute(`insert into audit_events (action) values ('meanwhile')`);
      });
    });
    await migration;
    expect(await state(others)).to.deep.equal(indexes);
  });

  it('rebuilds an invalid index of an interrupted attempt', async () => {
    await using empty = await createEmptyDatabase();
    await using orm = await openWithoutTimeout(empty.url);
    await orm.migrator.up({ to: '2026-11-22-budgets' });
    // An empty table does not count as in use, so its index would not be built concurrently.
    await orm.em.fork().execute(`insert into audit_events (action) values ('before')`);
    const name = 'audit_events_request_id_index';
    await orm.em.fork().execute(`create index ${name} on audit_events (request_id)`);
    await orm.em.fork().execute(`update pg_index set indisvalid = false where indexrelid = '${name}'::regclass`);
    await migrate(orm, { shared: true });
    expect(await state(orm)).to.deep.equal(indexes);
  });
});

/**
 * Two users of one organization with a session each, the session of a visitor who is signing in, and the session of a deleted
 * user.
 */
const population = [
  `insert into organizations (id, name) values ('o', 'Castings')`,
  `with people as (insert into users (id, org_id, onboarded_at) values ('u1', 'o', now()), ('u2', 'o', now()) returning *)
   insert into memberships (user_id, org_id) select id, org_id from people`,
  `insert into sessions (sid, sess, expire) values
   ('s1', '{"userId":"u1"}', 'infinity'), ('s2', '{"userId":"u2"}', 'infinity'),
   ('visitor', '{"returnTo":"/"}', 'infinity'), ('of nobody any more', '{"userId":"u0"}', 'infinity')`,
];

describe('an upgrade', function () {
  this.timeout(60_000);

  it('can be completed by a later attempt, by an owner subject to row-level security, without ending sessions', async () => {
    await using opened = new AsyncDisposableStack();
    const { url, superuserUrl } = opened.use(await createOwnedDatabase());
    await createSchemaOf('the first schema', url);
    await using reader = await openOrm({ kind: 'postgresql', url: superuserUrl }, silent, withoutTimeLimit);
    for (const statement of population) await reader.em.fork().execute(statement);

    await using migrating = await openOrm({ kind: 'postgresql', url }, silent, withoutTimeLimit);
    const attempts: unknown[] = [];
    const logger = createLogger({ level: 'warn' }, { write: (line) => void attempts.push(JSON.parse(line).migration) });
    let migration: Promise<string[]> | undefined;
    await reader.em.fork().transactional(async (em) => {
      // Blocks the row-security migration, which locks this table last.
      await em.execute('select from chat_messages');
      migration = migrate(migrating, { shared: true, logger, pauseMilliseconds: 10 });
      await Promise.race([eventually(() => attempts[1]), migration]);
    });
    expect((await migration)?.at(-1)).to.equal('2026-11-26-row-security');
    expect(new Set(attempts)).to.deep.equal(new Set(['2026-11-26-row-security']));
    expect(await reader.em.fork().execute('select sid, user_id from sessions order by sid')).to.deep.equal([
      { sid: 's1', user_id: 'u1' },
      { sid: 's2', user_id: 'u2' },
      { sid: 'visitor', user_id: null },
    ]);
  });
});
