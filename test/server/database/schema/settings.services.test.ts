import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pino } from 'pino';
import { loadConfig } from '../../../../server/config/config.ts';
import { migrateDatabase, openDatabase } from '../../../../server/database/database.ts';
import { checkDatabase } from '../../../../server/doctor/checks.ts';
import { createAppOnServer } from '../../../support/app-on-server.ts';
import { defaultReply } from '../../../support/scripted-provider.ts';
import { question } from '../../../support/test-app.ts';
import { executeOnServer } from '../../../support/test-database.ts';
import { refusal } from '../scenes.ts';
import { createLogin, createOwnedDatabase } from './empty-database.ts';

const silent = pino({ level: 'silent' });

/** Creates a database with these defaults, its owner and its serving login. */
async function createDatabase(statements: (names: { database: string; serving: string; owner: string }) => string[]) {
  await using opened = new AsyncDisposableStack();
  const serving = opened.use(await createLogin('noinherit'));
  const owned = opened.use(await createOwnedDatabase());
  const names = { database: new URL(owned.url).pathname.slice(1), serving: serving.name, owner: owned.owner };
  for (const statement of statements(names)) await executeOnServer(owned.superuserUrl, statement);
  const parts = opened.move();
  return {
    ...names,
    url: serving.urlOf(owned.url),
    ownerUrl: owned.url,
    execute: (statement: string) => executeOnServer(owned.superuserUrl, statement),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

const withDefaults = (settings: readonly string[]) =>
  createDatabase(({ database }) => settings.map((setting) => `alter database ${database} set ${setting}`));

async function failures({ url, ownerUrl }: { url: string; ownerUrl: string }): Promise<string> {
  const findings = await checkDatabase(loadConfig({ DATABASE_URL: url, DATABASE_MIGRATION_URL: ownerUrl }), silent);
  return findings.flatMap(({ outcome, text }) => (outcome === 'FAILED' ? [text] : [])).join('\n');
}

describe('the service on a database with other defaults', () => {
  for (const [title, settings] of Object.entries({
    'serializable transactions and short timeouts': [
      "default_transaction_isolation = 'serializable'",
      'default_transaction_deferrable = on',
      "statement_timeout = '5s'",
      "lock_timeout = '50ms'",
      "idle_in_transaction_session_timeout = '2s'",
    ],
    'other dates, forms and rules': [
      "datestyle = 'SQL, DMY'",
      "intervalstyle = 'sql_standard'",
      "timezone = 'Asia/Kolkata'",
      'row_security = off',
      'standard_conforming_strings = off',
      'backslash_quote = off',
      'bytea_output = escape',
      "client_encoding = 'LATIN1'",
      'extra_float_digits = -15',
      'xmloption = document',
      'transform_null_equals = on',
      'quote_all_identifiers = on',
      'array_nulls = off',
      'check_function_bodies = on',
      "plpgsql.variable_conflict = 'use_column'",
      "plpgsql.extra_errors = 'all'",
      'exit_on_error = on',
      "default_tablespace = 'missing'",
      "advisory_chat.across_tenants = 'yes'",
      "advisory_chat.org_id = 'some'",
    ],
  })) {
    it(`migrates, signs users in and answers turns with ${title}`, async () => {
      await using database = await withDefaults(settings);
      await using app = await createAppOnServer(database.url, { ownerUrl: database.ownerUrl });
      const people = await Promise.all([app.person(), app.person({ who: 'blake@example.com' })]);
      const turns = people.flatMap((person) => [1, 2].map(() => app.live(person, question("C:\\temp's \\' \\"))));
      for (const response of await Promise.all(turns)) {
        expect([response.status, await response.text()]).to.deep.equal([200, defaultReply.text]);
      }
      expect(await failures(database)).to.equal('');
    });
  }

  it('refuses to start on a database with another encoding than UTF8', async () => {
    await using database = await createDatabase(({ database: name, owner }) => [
      `create database ${name}_latin1 owner ${owner}
      encoding 'LATIN1' locale 'C' template template0`,
    ]);
    const [url, ownerUrl] = [`${database.url}_latin1`, `${database.ownerUrl}_latin1`];
    const sentence =
      `The encoding of the database ${database.database}_latin1 is LATIN1. Use another database, whose encoding is UTF8. ` +
      `As an administrator of the database server, run \`create database "${database.database}_latin1_utf8" encoding 'UTF8' ` +
      "locale 'C' template template0;`.";
    expect((await refusal(openDatabase({ kind: 'postgresql', url, ownerUrl }, silent))).message).to.equal(sentence);
    expect(await failures({ url, ownerUrl })).to.include(sentence);
    await database.execute(`drop database ${database.database}_latin1`);
  });

  it('refuses to start where foreign keys are not enforced', async () => {
    await using database = await withDefaults([]);
    const settings = { kind: 'postgresql', ...database } as const;
    await migrateDatabase(settings, silent);
    await database.execute(`alter database ${database.database} set session_replication_role = replica`);
    const sentence = (login: string) =>
      'The setting session_replication_role is replica. As an administrator of the database server, run ' +
      `\`alter role "${login}" in database "${database.database}" set session_replication_role = 'origin';\`.`;
    for (const login of [database.owner, database.serving]) {
      const { message } = await refusal(openDatabase(settings, silent));
      expect(message).to.equal(sentence(login));
      const [, repair = ''] = /`(.*)`/.exec(message) ?? [];
      await database.execute(repair);
    }
    await (await openDatabase(settings, silent)).close();
  });
});
