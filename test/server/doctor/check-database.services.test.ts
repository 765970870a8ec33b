import { install } from '@sinonjs/fake-timers';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { pino } from 'pino';
import { loadConfig } from '../../../server/config/config.ts';
import { migrate } from '../../../server/database/migrate.ts';
import { type Orm, openOrm } from '../../../server/database/orm.ts';
import { tenantRole } from '../../../server/database/tenant.ts';
import { checkDatabase } from '../../../server/doctor/check-database.ts';
import { eventually } from '../../support/eventually.ts';
import { required, testDatabaseUrl } from '../../support/services.ts';
import { databaseOn } from '../../support/test-database.ts';
import { createServerUser } from '../database/empty-database.ts';

const logger = pino({ level: 'silent' });
const name = 'advisory_chat_test_doctor';

let server: Orm;
let database: Orm;
let url: string;

const execute = (orm: Orm, sql: string) => orm.em.fork().execute(sql);

beforeEach(async () => {
  const serverUrl = required(testDatabaseUrl);
  url = databaseOn(serverUrl, name);
  server = await openOrm({ kind: 'postgresql', url: serverUrl }, logger);
  await execute(server, `create database ${name}`);
  database = await openOrm({ kind: 'postgresql', url }, logger);
});

afterEach(async () => {
  await database.close(true);
  await execute(server, `drop database ${name} with (force)`);
  await server.close(true);
});

const check = (variables: Record<string, string> = {}) =>
  checkDatabase(loadConfig({ DATABASE_URL: url, ...variables }), logger);

describe('checkDatabase', () => {
  it('finds nothing wrong with a migrated database', async () => {
    await migrate(database, { shared: true });
    const findings = await check();
    expect(findings.map(({ outcome }) => outcome)).to.deep.equal(Array(8).fill('ok'));
  });

  it('says that one login for everything is weaker than one that owns nothing', async () => {
    await migrate(database, { shared: true });
    const texts = (await check()).map(({ text }) => text).join(' ');
    expect(texts).to.match(/The login postgres, which serves, passes row-level security by itself\. .* weaker/);
    await using user = await createServerUser('');
    await execute(server, `grant ${tenantRole} to ${user.name}`);
    await execute(
      database,
      `do $$ declare name text; begin
      for name in select tablename from pg_tables where schemaname = 'public' loop
        execute format('alter table %I owner to ${user.name}', name);
      end loop;
    end $$`,
    );
    const findings = await checkDatabase(loadConfig({ DATABASE_URL: user.urlOf(url) }), logger);
    await execute(database, `reassign owned by ${user.name} to postgres; drop owned by ${user.name}`);
    expect(findings.map(({ text }) => text).join(' ')).to.include('The login that serves owns the tables.');
  });

  it('names the migrations that are missing, and makes none', async () => {
    const findings = await check();
    expect(findings.map(({ outcome }) => outcome)).to.deep.equal(['ok', 'ok', 'ok', 'ok', 'FAILED']);
    expect(findings.at(-1)?.text).to.match(/^The schema lacks 2026-11-21-initial/);
    expect(await execute(database, `select 1 from pg_tables where schemaname = 'public'`)).to.deep.equal([]);
  });

  it('names the tables on which row-level security is not in force', async () => {
    await migrate(database, { shared: true });
    await execute(database, 'alter table conversations disable row level security');
    const findings = await check();
    expect(findings.at(-1)?.outcome).to.equal('FAILED');
    expect(findings.at(-1)?.text).to.include('on conversations.');
  });

  const textOf = async (beginning: string) => (await check()).find(({ text }) => text.startsWith(beginning));

  it('opens and closes a turn, of which nothing is left', async () => {
    await migrate(database, { shared: true });
    const finding = await textOf('A turn');
    expect(finding).to.include({
      outcome: 'ok',
      text: 'A turn can be opened and closed; what that wrote was taken back.',
    });
    for (const table of ['users', 'sessions', 'conversations', 'chat_messages', 'token_uses', 'audit_events']) {
      expect(await execute(database, `select 1 from ${table}`), table).to.deep.equal([]);
    }
  });

  it('is red where a turn cannot be opened, whatever the reason', async () => {
    await migrate(database, { shared: true });
    await execute(database, `alter table chat_messages add constraint closed check (false) not valid`);
    const finding = await textOf('A turn cannot be opened and closed: ');
    expect(finding?.outcome).to.equal('FAILED');
    expect(finding?.text).to.include('violates check constraint "closed"');
  });

  it('calls every function of the schema for that, but those that only the release before calls', async () => {
    await migrate(database, { shared: true });
    await execute(database, `alter database ${name} set track_functions = 'all'`);
    await check();
    const ofReleaseBefore = [
      { name: 'close_budgeted_turn', parameters: 16 },
      { name: 'close_turn', parameters: 14 },
      { name: 'drop_cut_answer', parameters: 4 },
      { name: 'reopen_budgeted_turn', parameters: 11 },
      { name: 'reopen_turn', parameters: 7 },
      { name: 'superseded_attempts', parameters: 1 },
      { name: 'take_over_turn', parameters: 2 },
    ];
    const notCalled = await eventually(async () => {
      const rows = await execute(
        database,
        `select proname as name, pronargs as parameters from pg_proc
          where pronamespace = 'public'::regnamespace and coalesce(pg_stat_get_function_calls(oid), 0) = 0
          order by proname`,
      );
      // The server counts the calls of a connection when that is closed.
      return rows.length <= ofReleaseBefore.length ? rows : undefined;
    });
    expect(notCalled).to.deep.equal(ofReleaseBefore);
  });

  const rights = {
    'insert on chat_messages': 'permission denied for table chat_messages',
    'execute on function settle_turn': 'permission denied for function settle_turn',
  };
  for (const [right, words] of Object.entries(rights)) {
    it(`is red where the login that serves has lost the right to ${right}`, async () => {
      await migrate(database, { shared: true });
      await execute(database, `revoke ${right} from ${tenantRole}`);
      const finding = await textOf('A turn cannot be opened and closed: ');
      expect(finding?.outcome).to.equal('FAILED');
      expect(finding?.text)
        .to.include(words)
        .and.to.match(/--no-acl/);
    });
  }

  it('counts the connections that are left against those that a process takes', async () => {
    await migrate(database, { shared: true });
    const findingWith = async (pool: string) =>
      (await check({ DATABASE_POOL: pool })).find(({ text }) => text.includes('connections are left'));
    const finding = await findingWith('7');
    expect(finding?.outcome).to.equal('ok');
    expect(finding?.text).to.match(
      /^\d+ of 300 connections are left \(\d+ in use, 3 kept for superusers\); a process takes up to 7\.$/,
    );
    expect((await findingWith('300'))?.outcome).to.equal('FAILED');
  });

  it('says whether the connection is encrypted, and whether the clocks agree', async () => {
    const findings = await check();
    expect(findings[1]?.text).to.match(/^The connection is not encrypted: /);
    expect(findings[2]?.text).to.match(/clock/);
    const clock = install({ now: Date.now() - 60_000, toFake: ['Date'] });
    const behind = await check().finally(() => clock.uninstall());
    expect(behind[2]?.outcome).to.equal('FAILED');
    expect(behind[2]?.text).to.match(
      /^This machine's clock is (60|59)\.\d s behind the database's: have both set by a time server/,
    );
  });
});
