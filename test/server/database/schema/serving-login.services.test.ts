import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { pino } from 'pino';
import { type Database, openAdministration, openDatabase } from '../../../../server/database/database.ts';
import type { Administration } from '../../../../server/database/operators/administration.ts';
import { type EntityManager, noTimeLimit, type Orm, openOrm } from '../../../../server/database/orm.ts';
import { grantServingPrivileges, setStatementTimeout } from '../../../../server/database/schema/serving-login.ts';
import { acrossOrganizations } from '../../../../server/database/transactions.ts';
import { closing } from '../../../support/closing.ts';
import { eventually } from '../../../support/eventually.ts';
import { perSuite } from '../../../support/per-suite.ts';
import { startPostgres } from '../../../support/postgres-process.ts';
import { temporaryDirectory } from '../../../support/served-process.ts';
import { type AppOptions, createTestApp, post, question } from '../../../support/test-app.ts';
import { databaseOn } from '../../../support/test-database.ts';
import { refusal } from '../scenes.ts';
import { createLogin, createOwnedDatabase } from './empty-database.ts';

const silent = pino({ level: 'silent' });

/** The owner is not a superuser, and the serving login owns nothing. */
describe('the serving login', () => {
  let opened: AsyncDisposableStack;
  let urls: { owner: string; serving: string };
  let database: Database;
  let administration: Administration;
  let owner: Orm;
  let serving: Orm;

  beforeEach(async () => {
    opened = new AsyncDisposableStack();
    const servingUser = opened.use(await createLogin('noinherit'));
    const owned = opened.use(await createOwnedDatabase());
    urls = { owner: owned.url, serving: servingUser.urlOf(owned.url) };
    const settings = { kind: 'postgresql', url: urls.serving, ownerUrl: urls.owner } as const;
    database = await openDatabase(settings, silent);
    opened.defer(database.close);
    const operator = await openAdministration(settings, silent, 'operator of the tests');
    opened.defer(operator.close);
    administration = operator.administration;
    owner = await openOrm({ kind: 'postgresql', url: urls.owner }, silent);
    opened.defer(() => owner.close(true));
    serving = await openOrm({ kind: 'postgresql', url: urls.serving }, silent);
    opened.defer(() => serving.close(true));
  });
  afterEach(() => opened.disposeAsync());

  const rows = (sql: string) => acrossOrganizations(owner, (em) => em.execute<Record<string, unknown>[]>(sql));
  const notClosed = { close: async () => {}, [Symbol.asyncDispose]: async () => {} };
  const serve = async (options: Pick<AppOptions, 'tokensPerDay'> = {}) => {
    const storage = { orm: serving, database, administration, rows, ...notClosed };
    return opened.use(await createTestApp({ shared: { storage }, replyWatchMilliseconds: 5, ...options }));
  };

  /** Calls `change` a second time while the transaction of the first call is open, and commits the first once the second waits. */
  async function runTwice(orm: Orm, change: (orm: Orm) => Promise<void>): Promise<void> {
    const changed = Promise.withResolvers<void>();
    const secondWaits = Promise.withResolvers<void>();
    const transactional = (work: (em: EntityManager) => Promise<unknown>) =>
      orm.em.fork().transactional(async (em) => {
        await work(em);
        changed.resolve();
        await secondWaits.promise;
      });
    const execute = (statement: string) => transactional((em) => em.execute(statement));
    const first = change({ em: { fork: () => ({ transactional, execute }) } } as unknown as Orm);
    await Promise.race([changed.promise, first]);
    const second = change(orm);
    const waiting = `select from pg_locks where not granted
      and pid in (select pid from pg_stat_activity where datname = current_database())`;
    await eventually(async () => ((await owner.em.fork().execute(waiting)).length === 1 ? true : undefined));
    secondWaits.resolve();
    await Promise.all([first, second]);
  }

  it('gets its privileges and statement limit from two instances concurrently', async () => {
    const [{ login } = { login: '' }] = await serving.em
      .fork()
      .execute<{ login: string }[]>('select current_user as login');
    await runTwice(owner, (orm) => grantServingPrivileges(orm, login));
    const [{ database: name } = { database: '' }] = await serving.em
      .fork()
      .execute<{ database: string }[]>('select current_database() as database');
    await serving.em.fork().execute(`alter role current_user in database ${name} reset all`);
    await using unlimited = await openOrm({ kind: 'postgresql', url: urls.serving }, silent, noTimeLimit);
    await runTwice(unlimited, (orm) => setStatementTimeout(orm, 10_000));
  });

  it('can move a user to another organization and delete old conversations', async () => {
    const app = await serve();
    const avery = await app.person();
    const { user: host } = await app.person({ who: 'blake@example.com' });
    const organization = host.organization.id;
    const { token: invitation } = await administration.invite({ days: 1, organization });
    const named = { from: avery.user.organization.id, to: organization };
    const send = (body: object) => post(`${app.url}/auth/join`, body, { Cookie: avery.cookie });
    expect((await send({ invitation })).status).to.equal(200);
    expect((await send({ invitation, ...named })).status).to.equal(204);
    expect(await app.storage.database.prune(30, 'service')).to.deep.equal({ conversations: 0, messages: 0 });
  });

  it('counts turns against budgets, and the owner can read what remains', async () => {
    const app = await serve({ tokensPerDay: { user: 1, organization: 1000 } });
    const avery = await app.person();
    await (await app.live(avery, question())).text();
    expect((await app.live(avery, question())).status).to.equal(429);
    app.provider.answerWith({ refuse: { status: 529, type: 'overloaded_error', message: 'Busy.' } });
    await rows('update token_uses set tokens = 0');
    expect((await app.live(avery, question())).status).to.equal(503);
    expect(await rows('select settled from token_uses')).to.deep.equal([{ settled: true }, { settled: true }]);
    await rows('update token_uses set tokens = 7');
    const [listed] = (await administration.listUsers()).rows;
    expect(listed).to.include({ id: avery.user.id, tokensUsed: 14 });
  });

  it("leaves all operator commands to the owner's login", async () => {
    const app = await serve();
    const { user } = await app.person();
    expect((await administration.listUsers()).rows.map(({ id }) => id)).to.deep.equal([user.id]);
    await administration.setEngagementState(user.id, { week: 2, hypotheses: [], unknowns: [], findings: [] });
    expect(await administration.engagementState(user.id)).to.include({ week: 2 });
    await administration.suspendUser(user.id);
    await administration.restoreUser(user.id);
    await administration.invite({ days: 1, organization: user.organization.id });
    await administration.deleteUser(user.id, { block: true });
    expect((await administration.listUsers()).rows).to.deep.equal([]);
    expect((await administration.listOrganizations()).rows).to.deep.equal([]);
  });

  it('has privileges only on sessions and for inserting audit events, and cannot change the schema, a function or a policy', async () => {
    const rights = await serving.em.fork().execute(
      `select tablename || ': ' || string_agg(privilege, ', ' order by privilege) as rights
         from pg_tables, unnest(string_to_array('select insert update delete truncate references trigger', ' ')) as all_of (privilege)
        where schemaname = 'public' and has_table_privilege(tablename, privilege) group by tablename order by tablename`,
    );
    expect(rights.map((row) => row.rights)).to.deep.equal([
      'audit_events: insert',
      'schema_migrations: select',
      'sessions: delete, insert, select, update',
    ]);
    for (const statement of [
      'create table planted ()',
      'create or replace function find_session(text) returns json language sql as $$ select null $$',
      'drop policy users_tenant_policy on users',
      'alter table users no force row level security',
      'drop table users',
      'alter role current_user superuser',
    ]) {
      const error = await refusal(serving.em.fork().execute(statement));
      expect(error.message, statement).to.match(/permission denied|must be owner|must be superuser|Only roles with/i);
    }
  });

  it('cannot redirect functions with its search path', async () => {
    const app = await serve();
    await app.person();
    const error = await refusal(
      serving.em.fork().transactional(async (em) => {
        await em.execute('create temporary table sessions (sid text, sess json, expire timestamptz, user_id text)');
        await em.execute("insert into sessions values ('planted', '{}', now() + interval '1 hour', null)");
        const [row] = await em.execute("select find_session('planted') as found");
        throw new Error(`found: ${row?.found}`);
      }),
    );
    expect(error.message).to.equal('found: null');
  });

  it('must exist, or the service does not start', async () => {
    const url = new URL(urls.serving);
    url.username = 'nobody_of_this_name';
    const error = await refusal(openDatabase({ kind: 'postgresql', url: url.href, ownerUrl: urls.owner }, silent));
    expect(error.message).to.equal('The login nobody_of_this_name in DATABASE_URL does not exist.');
  });
});

describe('openDatabase with a login that is not allowed to create the tenant role', () => {
  const directory = perSuite(() => temporaryDirectory());
  const server = perSuite(() => startPostgres(directory.path));

  it('fails with the SQL that an administrator has to run, and succeeds once it has been run', async () => {
    await server.query('create role advisory_chat_owner login nocreaterole');
    await server.query('create database advisory_chat owner advisory_chat_owner');
    const address = new URL(databaseOn(server.url, 'advisory_chat'));
    address.username = 'advisory_chat_owner';
    const url = address.href;
    const failure = await openDatabase({ kind: 'postgresql', url }, silent).then(
      () => 'It is opened.',
      (error: Error) => error.message,
    );
    expect(failure).to.equal(
      'permission denied to create role. The login advisory_chat_owner must be a member of the role advisory_chat_tenant. ' +
        'As an administrator of the database server, run `create role advisory_chat_tenant nologin nosuperuser ' +
        'nobypassrls;` if the role does not exist, and `grant advisory_chat_tenant to "advisory_chat_owner";`. ' +
        'Then start again.',
    );
    await server.query('create role advisory_chat_tenant nologin nosuperuser nobypassrls');
    await server.query('grant advisory_chat_tenant to "advisory_chat_owner"');
    await using database = closing(await openDatabase({ kind: 'postgresql', url }, silent));
    await database.ping();
  });
});
