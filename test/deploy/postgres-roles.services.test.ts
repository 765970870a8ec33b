import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { pino } from 'pino';
import { type Orm, openOrm } from '../../server/database/orm.ts';
import { migrate } from '../../server/database/schema/run-migrations.ts';
import { refusal } from '../server/database/scenes.ts';
import { perSuite } from '../support/per-suite.ts';
import { type Postgres, startPostgres } from '../support/postgres-process.ts';
import { root, temporaryDirectory } from '../support/served-process.ts';
import { run } from '../support/server-process.ts';
import { databaseOn } from '../support/test-database.ts';

const silent = pino({ level: 'silent' });
const passwords = { DATABASE_OWNER_PASSWORD: "the owner's", DATABASE_PASSWORD: "the server's" };

function runScript(postgres: Postgres, variables: Record<string, string>) {
  const { hostname, port } = new URL(postgres.url);
  const env = { PATH: process.env.PATH, PGHOST: hostname, PGPORT: port, ...variables };
  return run('bash', [join(root, 'docs/deploy/postgres-roles.sh')], { env });
}

async function requirePasswords(postgres: Postgres): Promise<void> {
  await postgres.query(`do $$ begin
    execute format('copy (values (''host all postgres 127.0.0.1/32 trust''), (''host all all 127.0.0.1/32 scram-sha-256''))
      to %L', current_setting('hba_file'));
    perform pg_reload_conf();
  end $$`);
}

describe('docs/deploy/postgres-roles.sh', () => {
  let owner: Orm;
  let server: Orm;
  let incomplete: { stderr: string };

  const addressOf = (user: string, password: string) => {
    const address = new URL(databaseOn(postgres.url, 'advisory_chat'));
    Object.assign(address, { username: user, password: encodeURIComponent(password) });
    return address.href;
  };
  const connect = (url: string) => openOrm({ kind: 'postgresql', url }, silent);
  const refusalOf = async (orm: Orm, statement: string) => (await refusal(orm.em.fork().execute(statement))).message;

  after(async () => {
    await server?.close(true);
    await owner?.close(true);
  });
  const directory = perSuite(() => temporaryDirectory());
  const postgres = perSuite(() => startPostgres(directory.path));
  before(async () => {
    const { DATABASE_OWNER_PASSWORD, DATABASE_PASSWORD } = passwords;
    incomplete = await runScript(postgres, { DATABASE_OWNER_PASSWORD, DATABASE_PASSWORD: '' }).catch((error) => error);
    const DATABASE_OWNER_PASSWORD_FILE = join(directory.path, 'owner-password');
    await writeFile(DATABASE_OWNER_PASSWORD_FILE, `${DATABASE_OWNER_PASSWORD}\n`);
    // This run creates every role, so the failed run before it cannot have created one.
    await runScript(postgres, { DATABASE_OWNER_PASSWORD_FILE, DATABASE_PASSWORD });
    await requirePasswords(postgres);
    owner = await connect(addressOf('advisory_chat_owner', passwords.DATABASE_OWNER_PASSWORD));
    await migrate(owner, { isShared: true });
    server = await connect(addressOf('advisory_chat', passwords.DATABASE_PASSWORD));
  });

  it('creates roles that are not superusers, cannot create roles or databases, and cannot bypass row-level security', async () => {
    const roles = await postgres.query(`select json_build_array(rolname, rolcanlogin, rolinherit,
      rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication) from pg_roles
      where rolname like 'advisory_chat%' order by rolname`);
    expect(roles).to.deep.equal([
      ['advisory_chat', true, false, false],
      ['advisory_chat_owner', true, true, false],
      ['advisory_chat_tenant', false, true, false],
    ]);
  });

  it('allows only the serving login to assume the tenant role', async () => {
    expect(
      await server.em.execute(
        'select pg_has_role(current_user, oid, ?) as may, rolname from pg_roles where rolname like ? order by rolname',
        ['member', 'advisory_chat_%'],
      ),
    ).to.deep.equal([
      { may: false, rolname: 'advisory_chat_owner' },
      { may: true, rolname: 'advisory_chat_tenant' },
    ]);
    for (const role of ['advisory_chat_owner', 'postgres']) {
      expect(await refusalOf(server, `set role ${role}`)).to.match(/permission denied to set role/);
    }
  });

  it('gives the serving login no other privileges', async () => {
    for (const statement of [
      'select subject from identities',
      'create table public.mine (id int)',
      'create temporary table mine (id int)',
      'create role mine',
    ]) {
      expect(await refusalOf(server, statement), statement).to.match(/permission denied/);
    }
  });

  it('allows only the logins that it creates to connect, each with its password', async () => {
    const connecting = async (user: string, password: string) => {
      await using orm = await connect(addressOf(user, password));
      return refusalOf(orm, 'select 1');
    };
    expect(await connecting('advisory_chat', 'a wrong one')).to.match(/password authentication failed/);
    expect(await connecting('advisory_chat', passwords.DATABASE_OWNER_PASSWORD)).to.match(/password authentication/);
    await postgres.query(`create role another login password 'its own'`);
    expect(await connecting('another', 'its own')).to.match(/permission denied for database/);
  });

  it('creates no role if a password is missing, and names the missing password', () => {
    expect(incomplete.stderr).to.equal('DATABASE_PASSWORD or DATABASE_PASSWORD_FILE must be set.\n');
  });
});
