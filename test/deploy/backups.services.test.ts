import { join } from 'node:path';
import process from 'node:process';
import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import { pino } from 'pino';
import { loadConfig } from '../../server/config/config.ts';
import { openDatabase } from '../../server/database/database.ts';
import { checkDatabase } from '../../server/doctor/checks.ts';
import { closing } from '../support/closing.ts';
import { readDocument } from '../support/document.ts';
import { signIn } from '../support/people.ts';
import { type Postgres, startPostgres } from '../support/postgres-process.ts';
import { root, temporaryDirectory } from '../support/served-process.ts';
import { run } from '../support/server-process.ts';
import { databaseOn } from '../support/test-database.ts';

const silent = pino({ level: 'silent' });

/** The commands in docs/database.md for docker compose, systemd and the owner, without what connects to their servers. */
const [dumps, restores] = ['pg_dump', 'pg_restore'].map((program) =>
  [
    ...(readDocument('docs/database.md').text.split('\n## Backup and restore\n')[1] ?? '').matchAll(
      /^ *(.*\b(pg_\w+) .*)$/gm,
    ),
  ]
    .filter(([, , named]) => named === program)
    .map(([, line = '']) => line.replace(/^(docker compose exec -T database|sudo --user=postgres) /, '')),
) as [string[], string[]];
const [restore = ''] = restores;

describe('backup and restore with the commands of the guide', () => {
  let opened: AsyncDisposableStack;
  let source: Postgres;
  let target: Postgres;
  let directory: string;
  let userId: string;

  const address = (postgres: Postgres, login: string) => {
    const url = new URL(databaseOn(postgres.url, 'advisory_chat'));
    url.username = login;
    return url.href;
  };
  const settings = (postgres: Postgres) => ({
    kind: 'postgresql' as const,
    url: address(postgres, 'advisory_chat'),
    ownerUrl: address(postgres, 'advisory_chat_owner'),
  });

  function shell(postgres: Postgres, line: string, variables: Record<string, string> = {}) {
    const { hostname, port } = new URL(postgres.url);
    const env = {
      ...{ PATH: process.env.PATH, PGHOST: hostname, PGPORT: port, PGUSER: 'postgres' },
      ...{ DATABASE_MIGRATION_URL: address(postgres, 'advisory_chat_owner') },
      ...variables,
    };
    return run('bash', ['-o', 'pipefail', '-c', line], { cwd: directory, env, maxBuffer: 2 ** 26 });
  }
  const makeRoles = (postgres: Postgres) =>
    shell(postgres, `bash ${join(root, 'docs/deploy/postgres-roles.sh')}`, {
      POSTGRES_USER: 'postgres',
      DATABASE_OWNER_PASSWORD: 'one',
      DATABASE_PASSWORD: 'two',
    });

  async function failures() {
    const { url, ownerUrl } = settings(target);
    const findings = await checkDatabase(loadConfig({ DATABASE_URL: url, DATABASE_MIGRATION_URL: ownerUrl }), silent);
    return findings.flatMap(({ outcome, text }) => (outcome === 'FAILED' ? [text] : [])).join('\n');
  }

  before(async () => {
    opened = new AsyncDisposableStack();
    const work = opened.adopt(await temporaryDirectory(), ({ remove }) => remove());
    directory = work.path;
    const [one, other] = [await temporaryDirectory(), await temporaryDirectory()];
    opened.defer(one.remove);
    opened.defer(other.remove);
    source = opened.adopt(await startPostgres(one.path), ({ stop }) => stop());
    target = opened.adopt(await startPostgres(other.path), ({ stop }) => stop());

    await makeRoles(source);
    await using database = closing(await openDatabase(settings(source), silent));
    const person = await signIn(database, { subject: '1', name: 'Avery', email: null });
    userId = person.id;
    await database.turns.open({
      ...{ userId, orgId: person.organization.id, conversationId: null },
      ...{ content: 'What is kept?', requestId: 'request 1' },
    });
  });
  after(() => opened.disposeAsync());

  beforeEach(async () => {
    await target.query('drop database if exists advisory_chat with (force)');
    for (const role of ['advisory_chat', 'advisory_chat_owner', 'advisory_chat_tenant']) {
      await target.query(`drop role if exists ${role}`);
    }
  });

  for (const [index, where] of ['docker compose', 'systemd', 'the owner'].entries()) {
    it(`produce a working service that passes doctor if the roles were created first: ${where}`, async () => {
      await shell(source, dumps[index] ?? '');
      await makeRoles(target);
      expect(await failures(), 'before the backup is restored').to.match(/^The schema lacks /);
      await shell(target, restores[index] ?? '');
      expect(await failures()).to.equal('');

      await using database = closing(await openDatabase(settings(target), silent));
      const person = await signIn(database, { subject: '1', name: 'Avery', email: null });
      expect(person.id).to.equal(userId);
      const command = `psql --username=postgres --dbname=advisory_chat -qAtX -c 'select content from chat_messages'`;
      expect((await shell(target, command)).stdout).to.equal('What is kept?\n');
    });
  }

  it('produce a database that fails doctor while the tenant role is missing', async () => {
    await target.query('create role advisory_chat_owner login');
    await target.query('create role advisory_chat login noinherit');
    await target.query('create database advisory_chat owner advisory_chat_owner');
    await shell(target, restore.replace('--exit-on-error', '')).catch(() => undefined);
    expect(await failures()).to.match(/After a restore, create the roles, including advisory_chat_tenant/);

    await target.query('drop database advisory_chat with (force)');
    for (const role of ['advisory_chat', 'advisory_chat_owner']) await target.query(`drop role ${role}`);
    await makeRoles(target);
    await shell(target, restore);
    expect(await failures()).to.equal('');
  });

  it('produce a database that fails doctor if privileges were not restored', async () => {
    await makeRoles(target);
    await shell(target, `${restore} --no-acl`);
    expect(await failures()).to.match(/permission denied for .* restore again without --no-acl/);
  });
});
