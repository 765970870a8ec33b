import { install } from '@sinonjs/fake-timers';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { pino } from 'pino';
import { loadConfig } from '../../../server/config/config.ts';
import { migrateDatabase, openAdministration } from '../../../server/database/database.ts';
import { type Orm, openOrm } from '../../../server/database/orm.ts';
import { tenantRole } from '../../../server/database/tenant.ts';
import { checkDatabase } from '../../../server/doctor/checks.ts';
import { required, testDatabaseUrl } from '../../support/services.ts';
import { createFromTemplate, databaseOn } from '../../support/test-database.ts';
import { refusal } from '../database/scenes.ts';
import { createEmptyDatabase, createLogin } from '../database/schema/empty-database.ts';
import { runProgram } from '../run-program.ts';

const logger = pino({ level: 'silent' });

let name: string;
let server: Orm;
let database: Orm;
let url: string;

const execute = (orm: Orm, sql: string) => orm.em.fork().execute(sql);

beforeEach(async () => {
  const serverUrl = required(testDatabaseUrl);
  ({ name } = await createFromTemplate(serverUrl));
  url = databaseOn(serverUrl, name);
  server = await openOrm({ kind: 'postgresql', url: serverUrl }, logger);
  database = await openOrm({ kind: 'postgresql', url }, logger);
});

afterEach(async () => {
  await database.close(true);
  await execute(server, `drop database ${name} with (force)`);
  await server.close(true);
});

const check = (variables: Record<string, string> = {}) =>
  checkDatabase(loadConfig({ DATABASE_URL: url, ...variables }), logger);

const failures = async (variables?: Record<string, string>) =>
  (await check(variables)).flatMap(({ outcome, text }) => (outcome === 'FAILED' ? [text] : []));

describe('checkDatabase', () => {
  it('passes for a migrated database', async () => {
    const findings = await check();
    expect(findings.map(({ outcome }) => outcome)).to.deep.equal(Array(9).fill('ok'));
  });

  it('recommends a serving login that does not own the tables', async () => {
    const texts = (await check()).map(({ text }) => text).join(' ');
    expect(texts).to.match(/The serving login postgres bypasses row-level security\. .* safer/);
    await using user = await createLogin('');
    await execute(server, `grant ${tenantRole} to ${user.name}`);
    await execute(
      database,
      `do $$ declare name text; begin
      for name in select tablename from pg_tables where schemaname = 'public' loop
        execute format('alter table %I owner to ${user.name}', name);
      end loop;
    end $$`,
    );
    const findings = await check({ DATABASE_URL: user.urlOf(url) });
    await execute(database, `reassign owned by ${user.name} to postgres; drop owned by ${user.name}`);
    expect(findings.map(({ text }) => text).join(' ')).to.include('The serving login owns the tables.');
  });

  it('names pending migrations without applying them', async () => {
    await using empty = await createEmptyDatabase();
    const findings = await check({ DATABASE_URL: empty.url });
    expect(findings.map(({ outcome }) => outcome)).to.deep.equal(['ok', 'ok', 'ok', 'ok', 'ok', 'FAILED']);
    expect(findings.at(-1)?.text).to.match(/^The schema lacks 2026-11-28-initial/);
    await using orm = await openOrm({ kind: 'postgresql', url: empty.url }, logger);
    expect(await execute(orm, `select 1 from pg_tables where schemaname = 'public'`)).to.deep.equal([]);
  });

  it('fails if the first migration of the database is a different one', async () => {
    await execute(database, "update schema_migrations set name = '2026-01-01-other'");
    expect(await failures()).to.deep.equal([
      'The first migration of this database is 2026-01-01-other instead of 2026-11-28-initial; use an empty database, or one that was created by release 1.0.0 or later. Check DATABASE_URL.',
    ]);
  });

  it('names tables on which row-level security is not active', async () => {
    await execute(database, 'alter table conversations disable row level security');
    expect((await failures()).join()).to.include('on conversations.');
  });

  it('names users whose engagement state cannot be read', async () => {
    await execute(
      database,
      `insert into organizations (id, name) values ('an-organization', 'Example');
       insert into users (id, org_id) values ('a-user', 'an-organization');
       insert into memberships (user_id, org_id) values ('a-user', 'an-organization');
       insert into engagement_states values ('a-user', 'an-organization', 600, null, '["One", 7]', '[]', '[]')`,
    );
    expect(await failures()).to.deep.equal([
      'Parts of engagement states cannot be read and are left out of the prompt: a-user (week, hypotheses.1). ' +
        'Correct them with npm run admin -- set-engagement.',
    ]);
  });

  const lacking = (text: string) => `The serving login lacks ${text}. Run npm run migrate to grant`;
  for (const [lost, statement] of [
    [`insert on chat_messages for ${tenantRole}`, `revoke insert on chat_messages from ${tenantRole}`],
    ['execute on function open_turn', 'alter function open_turn rename to lost'],
  ] as const) {
    it(`fails without ${lost}`, async () => {
      await execute(database, statement);
      expect((await failures()).join()).to.include(lacking(lost));
    });
  }

  it('fails if the serving login lacks a privilege, and passes once it is granted', async () => {
    await using user = await createLogin('');
    const serving = user.urlOf(url);
    const failuresOfLogin = async () => (await failures({ DATABASE_URL: serving })).join();
    expect(await failuresOfLogin()).to.match(
      /^permission denied for table schema_migrations\. Run npm run migrate to grant/,
    );
    const grant = () => migrateDatabase({ kind: 'postgresql', url: serving, ownerUrl: url }, logger);
    await grant();
    expect(await failuresOfLogin()).to.equal('');
    for (const [revoked, lost] of [
      [`execute on function sign_in from ${user.name}`, 'execute on function sign_in'],
      [`delete on sessions from ${user.name}`, 'delete on sessions'],
      [`${tenantRole} from ${user.name}`, `membership in ${tenantRole}`],
    ]) {
      await execute(database, `revoke ${revoked}`);
      expect(await failuresOfLogin()).to.include(lacking(String(lost)));
      await grant();
      expect(await failuresOfLogin()).to.equal('');
    }
    await execute(database, `drop owned by ${user.name}`);
  });

  it('fails if the database is read-only', async () => {
    await execute(database, `alter database ${name} set default_transaction_read_only = on`);
    expect((await failures()).join()).to.include('The setting default_transaction_read_only is on');
  });

  it('compares the free connections with those that a process uses', async () => {
    const findingWith = async (pool: string) =>
      (await check({ DATABASE_POOL: pool })).find(({ text }) => text.includes('connections are free'));
    const finding = await findingWith('7');
    expect(finding?.outcome).to.equal('ok');
    expect(finding?.text).to.match(
      /^\d+ of 300 connections are free \(\d+ in use, 3 reserved\); a process uses up to 7\.$/,
    );
    expect((await findingWith('300'))?.outcome).to.equal('FAILED');
  });

  it('compares the connections of an update with the limits of the server and the login', async () => {
    await using user = await createLogin('');
    const settings = { kind: 'postgresql', url: user.urlOf(url), ownerUrl: url } as const;
    await migrateDatabase(settings, logger);
    const finding = async (instances?: number) => {
      const found = await checkDatabase(loadConfig({ DATABASE_URL: settings.url }), logger, instances);
      const [update] = found.filter(({ text }) => text.startsWith('An update'));
      return [update?.outcome, update?.text];
    };
    const sum = (instances: number, processes: number) =>
      `An update of ${instances} instances uses up to ${processes} connections (old and new processes with 10 each), and 3 ` +
      `for the migration and an operator command`;
    expect(await finding()).to.deep.equal(['ok', `${sum(2, 40)}.`]);
    expect(await finding(14)).to.deep.equal(['ok', `${sum(14, 280)}.`]);
    const [outcome, text] = await finding(15);
    expect(outcome).to.equal('FAILED');
    expect(text).to.include(`${sum(15, 300)}; max_connections is 297. Raise max_connections`);
    const { output } = await runProgram('doctor/main.ts', ['--instances', '15'], { DATABASE_URL: settings.url });
    expect(output).to.include(`FAILED   Database      ${text}\n`);
    await execute(server, `alter role ${user.name} connection limit 39`);
    expect((await finding())[1]).to.include(`${sum(2, 40)}; the login's connection limit is 39.`);
    await execute(server, `alter role ${user.name} connection limit 40`);
    await execute(server, `alter database ${name} connection limit 42`);
    expect((await finding())[1]).to.include(`${sum(2, 40)}; the database's connection limit is 42.`);
    await execute(database, `drop owned by ${user.name}`);
  });

  it('fails with the reason if the server has no free connection', async () => {
    await using user = await createLogin('connection limit 0');
    expect((await failures({ DATABASE_URL: user.urlOf(url) })).join()).to.match(
      /^PostgreSQL has no free connection \(too many connections for role "\w+"\)\. Raise max_connections/,
    );
  });

  it('recommends DATABASE_MIGRATION_URL, as operator commands do, if the login of the owner is missing', async () => {
    await using user = await createLogin('');
    const settings = { kind: 'postgresql', url: user.urlOf(url) } as const;
    await migrateDatabase({ ...settings, ownerUrl: url }, logger);
    const findings = await checkDatabase(loadConfig({ DATABASE_URL: settings.url }), logger);
    const { message } = await refusal(openAdministration(settings, logger, 'operator of the tests'));
    for (const [owner, outcome, text] of [
      [url, 'ok', /^The login of DATABASE_MIGRATION_URL owns the tables\.$/],
      [`${settings.url}?application_name=owner`, 'FAILED', /^The login of DATABASE_MIGRATION_URL does not own/],
    ] as const) {
      const config = loadConfig({ DATABASE_URL: settings.url, DATABASE_MIGRATION_URL: owner });
      const finding = (await checkDatabase(config, logger)).at(-1);
      expect(finding?.outcome).to.equal(outcome);
      expect(finding?.text).to.match(text);
    }
    await execute(database, `drop owned by ${user.name}`);
    expect(findings.at(-1)).to.include({ outcome: 'skipped' });
    expect(findings.at(-1)?.text).to.include('Set DATABASE_MIGRATION_URL');
    expect(message).to.equal(
      `The login ${user.name} does not own the tables. Set DATABASE_MIGRATION_URL to use the owner's login for operator commands.`,
    );
  });

  it('reports whether the connection is encrypted, and whether the clocks match', async () => {
    const findings = await check();
    expect(findings[1]?.text).to.match(/^The connection is not encrypted\. /);
    expect(findings[2]?.text).to.match(/clock/);
    const clock = install({ now: Date.now() - 6_000, toFake: ['Date'] });
    const behind = await check().finally(() => clock.uninstall());
    expect(behind[2]?.outcome).to.equal('FAILED');
    expect(behind[2]?.text).to.match(
      /^This machine's clock is [56]\.\d s behind the database's\. Synchronize both with NTP/,
    );
  });
});
