import { userInfo } from 'node:os';
import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { pino } from 'pino';
import { openDatabase } from '../../../server/database/database.ts';
import { lockDatabaseDirectory } from '../../../server/embedded/data-directory.ts';
import { createMigratedDataDirectory } from '../../support/migrated-cluster.ts';
import { signIn } from '../../support/people.ts';
import { perSuite } from '../../support/per-suite.ts';
import { runProgram, runWithClosedOutput } from '../run-program.ts';

let dataDirectory: string;
const admin = (words: readonly string[], input?: string) =>
  runProgram('admin/main.ts', words, { DATA_DIR: dataDirectory }, input);

const unescaped = 'Avery\u001b[31m\u009bExample\u202e';
const escaped = 'Avery\\u001b[31m\\u009bExample\\u202e';
let userId: string;
let organizationId: string;

const data = perSuite(() => createMigratedDataDirectory());
before(async () => {
  dataDirectory = data.path;
  const { directory, unlock } = lockDatabaseDirectory(dataDirectory);
  const database = await openDatabase({ kind: 'embedded', directory }, pino({ level: 'silent' }));
  const avery = { provider: 'google', subject: '1', name: unescaped, email: 'avery@example.com' };
  const person = await signIn(database, avery);
  await signIn(database, { subject: '2', name: 'Blake', email: null });
  userId = person.id;
  organizationId = person.organization.id;
  await database.close();
  unlock();
});

describe('npm run admin', () => {
  it('lists users as a table with escaped control characters, prints the notice about more rows on standard error, and reads the token budgets', async () => {
    const settings = { DATA_DIR: dataDirectory, TOKENS_PER_DAY_USER: '1000', TOKENS_PER_DAY_ORGANIZATION: '2000' };
    const { code, output, errorOutput } = await runProgram('admin/main.ts', ['list-users', '--limit', '1'], settings);
    expect({ code, errorOutput }).to.deep.equal({
      code: 0,
      errorOutput: `There are more rows. Use --after ${userId} to continue, or increase --limit.\n`,
    });
    const [headings, line, ...rest] = output.split('\n');
    expect(headings?.replaceAll(/ {2,}/g, ', ')).to.equal(
      'USER ID, NAME, EMAIL, VERIFIED, PROVIDER, ACCOUNT, ONBOARDED, SUSPENDED, ORGANIZATION ID, ORGANIZATION, TOKENS LEFT',
    );
    expect(line?.split(/ {2,}/)).to.deep.equal([
      ...[userId, escaped, 'avery@example.com', 'no', 'google', '1', 'no', 'no'],
      ...[organizationId, `${escaped}’s organization`, '1000'],
    ]);
    expect(rest).to.deep.equal(['']);
    const organizations = await runProgram('admin/main.ts', ['list-organizations', '--json'], settings);
    expect(organizations.output.replaceAll('\n', '')).not.to.match(/[\p{Cc}\p{Cf}]/u);
    const [{ name, tokensLeft }] = JSON.parse(organizations.output);
    expect({ name, tokensLeft }).to.deep.equal({ name: `${unescaped}’s organization`, tokensLeft: 2000 });
  });

  it('creates links at PUBLIC_URL or the port', async () => {
    for (const [settings, origin] of [
      [{ PORT: '4100' }, 'http://localhost:4100'],
      [{ PUBLIC_URL: 'https://chat.example.com' }, 'https://chat.example.com'],
    ] as const) {
      const invited = await runProgram('admin/main.ts', ['invite'], { DATA_DIR: dataDirectory, ...settings });
      expect(invited.output.startsWith(`${origin}/sign-in?invitation=`), invited.output).to.equal(true);
    }
  });

  it('escapes control characters in JSON without changing its values, and records the name of the operator', async () => {
    const { output } = await admin(['export-user', userId]);
    expect(output.replaceAll('\n', '')).not.to.match(/[\p{Cc}\p{Cf}]/u);
    const { user, audit_events: events } = JSON.parse(output);
    expect(user.name).to.equal(unescaped);
    expect(events.at(-1)).to.include({ action: 'export-user', actor: `operator ${userInfo().username}` });
  });

  it('stores a state from standard input and prints it in the same format', async () => {
    const state = { week: 2, focus: 'Lead times', hypotheses: [], unknowns: [{ question: 'Where?' }], findings: [] };
    const set = await admin(['set-engagement', userId, '--file', '-'], JSON.stringify(state));
    expect(set.code, set.errorOutput).to.equal(0);
    const { output } = await admin(['show-engagement', userId]);
    expect(JSON.parse(output)).to.deep.equal(state);
  });

  it('reports that a running server is using the embedded database', async () => {
    const { unlock } = lockDatabaseDirectory(dataDirectory);
    const { code, errorOutput } = await admin(['list-users']);
    unlock();
    expect(code).to.equal(1);
    expect(errorOutput).to.match(/^Another process is using the embedded database in .*\n$/);
  });

  it('exits with 2 and the usage for an invalid command line, with escaped control characters', async () => {
    const { code, output, errorOutput } = await admin(['delete-user', userId, '--now\u009b\u202e']);
    expect(code).to.equal(2);
    expect(output).to.equal('');
    expect(errorOutput).to.match(/^Usage:\n\n {2}delete-user <userId> .*\n\nUnknown option '--now\\u009b\\u202e'/s);
    expect(errorOutput).not.to.include('delete-organization <');
  });

  it('prints the help', async () => {
    const { code, output } = await admin(['help']);
    expect(code).to.equal(0);
    expect(output).to.match(/^Usage: .*Use list-users, find-user and list-organizations to look up ids/s);
  });

  it('exits without an error if its output is closed, as in a pipe to head', async () => {
    expect(await runWithClosedOutput('admin/main.ts', ['help'], {})).to.equal('');
  });

  it('reads RETAIN_DAYS', async () => {
    const pruned = await runProgram('admin/main.ts', ['prune'], { DATA_DIR: dataDirectory, RETAIN_DAYS: '30' });
    expect(pruned).to.deep.equal({ code: 0, output: 'Deleted 0 conversations.\n', errorOutput: '' });
  });

  it('requires only the database settings in production', async () => {
    const environment = { NODE_ENV: 'production' };
    expect(await runProgram('admin/main.ts', ['list-users'], environment)).to.deep.equal({
      code: 1,
      output: '',
      errorOutput: 'DATABASE_URL is required in production: a PostgreSQL server.\n',
    });
  });
});
