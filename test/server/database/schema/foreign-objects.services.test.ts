import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { pino } from 'pino';
import { loadConfig } from '../../../../server/config/config.ts';
import { openAdministration, openDatabase } from '../../../../server/database/database.ts';
import { noTimeLimit, openOrm } from '../../../../server/database/orm.ts';
import { migrate } from '../../../../server/database/schema/run-migrations.ts';
import { checkDatabase } from '../../../../server/doctor/checks.ts';
import { closing } from '../../../support/closing.ts';
import { executeOnServer } from '../../../support/test-database.ts';
import { ask, newcomer, refusal } from '../scenes.ts';
import { createLogin, createOwnedDatabase } from './empty-database.ts';
import { laterMigrations, listOfLaterRelease } from './later-release.ts';

const silent = pino({ level: 'silent' });

describe('a database with objects of others', () => {
  let opened: AsyncDisposableStack;
  let owned: Awaited<ReturnType<typeof createOwnedDatabase>>;
  let serving: Awaited<ReturnType<typeof createLogin>>;
  let name: string;
  let settings: { kind: 'postgresql'; url: string; ownerUrl: string };

  beforeEach(async () => {
    opened = new AsyncDisposableStack();
    serving = opened.use(await createLogin('noinherit'));
    owned = opened.use(await createOwnedDatabase());
    name = new URL(owned.url).pathname.slice(1);
    settings = { kind: 'postgresql', url: serving.urlOf(owned.url), ownerUrl: owned.url };
  });
  afterEach(() => opened.disposeAsync());

  const asSuperuser = (statement: string) => executeOnServer(owned.superuserUrl, statement);
  const outdateFunctions = () =>
    asSuperuser(`comment on table schema_migrations is 'Functions of 0.9.0, sha256 other'`);

  async function serve(): Promise<void> {
    await using database = closing(await openDatabase(settings, silent));
    await ask({ database }, await newcomer({ database }, 'Avery'));
  }

  async function migrateToLaterRelease(): Promise<void> {
    await using owner = await openOrm({ kind: 'postgresql', url: owned.url }, silent, noTimeLimit);
    expect(await migrate(owner, { isShared: true, migrationList: listOfLaterRelease })).to.deep.equal(laterMigrations);
  }

  /** The failures of the self-check, and what it reports about the owner. */
  async function findings() {
    const { url, ownerUrl } = settings;
    const config = loadConfig({ DATABASE_URL: url, DATABASE_MIGRATION_URL: ownerUrl });
    const found = await checkDatabase(config, silent);
    return [...found.filter(({ outcome }) => outcome === 'FAILED').map(({ text }) => text), found.at(-1)?.text];
  }
  const healthy = ['The login of DATABASE_MIGRATION_URL owns the tables.'];

  const extensions = ['pg_stat_statements', 'pg_trgm', 'pgcrypto', 'citext']
    .map((extension) => `create extension ${extension};`)
    .join(' ');
  /** A table, a view, types, functions and an event trigger, none of which the owner or the serving login may use. */
  const others = `${extensions}
    create table inventory (id serial); create view inventory_view as select * from inventory;
    create type status as enum ('on'); create domain session as text;
    create function find_session(int) returns int language sql as 'select 1';
    create function settle_turn() returns int language sql as 'select 1';
    create procedure nightly() language sql as 'select 1';
    revoke all on function find_session(int), settle_turn() from public;
    create function log_ddl() returns event_trigger language plpgsql as 'begin end';
    create event trigger log_ddl on ddl_command_end execute function log_ddl();
    alter default privileges revoke execute on functions from public`;

  it('is created, migrated and served despite extensions and objects of another owner in the schema', async () => {
    await asSuperuser(others);
    await serve();
    await outdateFunctions();
    await serve();
    expect(await findings()).to.deep.equal(healthy);
  });

  it('is still served after such objects have been added', async () => {
    await serve();
    await asSuperuser(others);
    await serve();
    expect(await findings()).to.deep.equal(healthy);
  });

  it('keeps its tables and functions where they are if the owner gets a schema of its own name later', async () => {
    await serve();
    await asSuperuser(`create schema authorization ${owned.owner}`);
    await outdateFunctions();
    await serve();
    expect(await findings()).to.deep.equal(healthy);
    await migrateToLaterRelease();
    const { administration, close } = await openAdministration(settings, silent, 'operator of the tests');
    opened.defer(close);
    expect((await administration.listUsers()).rows).to.have.length(1);
    await using owner = await openOrm({ kind: 'postgresql', url: owned.url }, silent);
    expect(
      await owner.em.fork().execute(`select relname from pg_class where relnamespace = '${owned.owner}'::regnamespace`),
    ).to.deep.equal([]);
  });

  it('is created, migrated and served in another schema than public, beside an application with the same names', async () => {
    await asSuperuser(`create table schema_migrations (version text); create table users (id int);
      create schema advice authorization ${owned.owner}; alter database ${name} set search_path = advice`);
    await serve();
    expect(await findings()).to.deep.equal(healthy);
    await migrateToLaterRelease();
  });

  /** Runs the statements in the error message until the service starts. */
  async function repair(...errors: readonly RegExp[]): Promise<void> {
    for (const expected of errors) {
      const { message } = await refusal(serve());
      expect(message).to.match(expected);
      for (const [, statement = ''] of message.matchAll(/`(.*?)`/g)) await asSuperuser(statement);
    }
    await serve();
  }

  it('refuses to start beside an application with the same names, with the statements for another schema', async () => {
    await asSuperuser(`create table schema_migrations (version text); create view users as select 1;
      create type sessions as enum (); create function settle_turn(text, text, int) returns int language sql as 'select 1'`);
    await repair(
      /^The schema public already has other objects with the names of the service's own: schema_migrations, sessions, settle_turn\(text, text, int\), users\. Use another database, or/,
      /^The login \w+ does not find the tables in the schema advisory_chat\. As an administrator of the database server, run `grant usage/,
    );
    expect(await findings()).to.deep.equal(healthy);
  });

  it('refuses to start if the owner is not allowed to create tables, or has no schema, with the statement that repairs it', async () => {
    await asSuperuser(`alter schema public owner to postgres; alter role ${owned.owner} set search_path = missing`);
    await repair(
      /^No schema in the search_path of the login \w+ exists\. As an administrator/,
      /^The login \w+ is not allowed to create tables in the schema public\. As an administrator/,
    );
  });

  it('refuses to start if the serving login finds other tables first, with the statement that repairs it', async () => {
    await serve();
    await asSuperuser(`create schema other; create table other.sessions (id int); grant usage on schema other to ${serving.name};
      alter role ${serving.name} set search_path = other, public`);
    const sentence =
      /^For the login \w+, objects of the service in the schema public are hidden by other\.sessions\. As an administrator/;
    expect((await findings())[0]).to.match(sentence);
    await repair(sentence);
  });
});
