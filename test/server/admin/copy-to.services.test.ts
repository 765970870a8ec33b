import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { pino } from 'pino';
import { createRepositories, openCopyTarget, openDatabase } from '../../../server/database/database.ts';
import { createAdministration } from '../../../server/database/operators/administration.ts';
import { copiedTables } from '../../../server/database/operators/copy.ts';
import { type Orm, openOrm } from '../../../server/database/orm.ts';
import { acrossOrganizations } from '../../../server/database/transactions.ts';
import { lockDatabaseDirectory } from '../../../server/embedded/data-directory.ts';
import { closing } from '../../support/closing.ts';
import { createMigratedDataDirectory } from '../../support/migrated-cluster.ts';
import { signIn } from '../../support/people.ts';
import { perSuite } from '../../support/per-suite.ts';
import { answerIn, refusal } from '../database/scenes.ts';
import { createEmptyDatabase } from '../database/schema/empty-database.ts';
import { runProgram } from '../run-program.ts';

const silent = pino({ level: 'silent' });
const unusual = `It's "quoted", back\\slashed?, $1 ? and \u{1F600} \n\t of many lines`;

describe('npm run admin -- copy-to', () => {
  const opened = new AsyncDisposableStack();
  let url: string;
  let copied: Awaited<ReturnType<typeof runProgram>>;
  let userId: string;
  let orgId: string;
  let conversationId: string;

  /** Returns every row of every table except the audit events of the command itself. */
  async function contents(orm: Orm): Promise<Record<string, string[]>> {
    return acrossOrganizations(orm, async (em) => {
      await em.execute(`select set_config('timezone', 'UTC', true)`);
      const tables: Record<string, string[]> = {};
      for (const table of copiedTables) {
        const rows = await em.execute<{ row: string }[]>(
          `select row_to_json(found)::text as row from ${table} found
            ${table === 'audit_events' ? `where action <> 'copy-to'` : ''} order by 1`,
        );
        tables[table] = rows.map(({ row }) => row);
      }
      return tables;
    });
  }

  async function inEmbedded<T>(work: (orm: Orm) => Promise<T>): Promise<T> {
    const { directory, unlock } = lockDatabaseDirectory(data.path);
    try {
      await using orm = await openOrm({ kind: 'embedded', directory }, silent);
      return await work(orm);
    } finally {
      unlock();
    }
  }

  async function copyTo(target: string) {
    return inEmbedded(async (orm) => {
      await using opened = await openCopyTarget(target, silent);
      return createAdministration(orm, 'operator').copyTo(opened);
    });
  }

  const data = perSuite(() => createMigratedDataDirectory());
  before(async () => {
    await inEmbedded(async (orm) => {
      const database = await createRepositories(orm, silent);
      const person = await signIn(database, { subject: '1', name: unusual, email: 'avery@example.com' });
      [userId, orgId] = [person.id, person.organization.id];
      const scope = { userId, orgId };
      const question = { ...scope, conversationId: null, content: unusual, requestId: 'request 1' };
      ({ conversationId } = await database.turns.open(question));
      await database.turns.close({ ...answerIn(conversationId, scope), content: unusual });
      for (let more = 0; more < 45; more += 1) {
        await database.turns.open({ ...question, conversationId, requestId: `request ${more}`, content: `${more}` });
      }
      await signIn(database, { subject: '2', name: null, email: null });
      const administration = createAdministration(orm, 'operator');
      const state = { week: 3, focus: unusual, hypotheses: [], unknowns: [{ question: unusual }], findings: [] };
      await administration.setEngagementState(userId, state);
      await administration.invite({ days: 3, note: unusual, organization: orgId });
      await orm.em.fork().execute(`insert into blocked_accounts (account_hash) values ('blocked')`);
      await orm.em.fork().execute(`insert into token_uses values ('use', ?, ?, 7, true, now())`, [orgId, userId]);
      const session = JSON.stringify({ userId, cookie: { path: unusual } });
      const insert = `insert into sessions (sid, sess, expire, user_id) values ('s', ?, now(), ?)`;
      await orm.em.fork().execute(insert, [session, userId]);
    });
    ({ url } = opened.use(await createEmptyDatabase()));
    await (await openDatabase({ kind: 'postgresql', url }, silent)).close();
    copied = await runProgram('admin/main.ts', ['copy-to', url], { DATA_DIR: data.path });
  });
  after(() => opened.disposeAsync());

  it('copies every row of every table unchanged, and prints the counts', async () => {
    const { code, output, errorOutput } = copied;
    expect(errorOutput).to.equal('');
    expect(code).to.equal(0);
    expect(output).to.match(/^Copied all rows. The row counts match:\n {2}organizations 2\n {2}users 2\n/);
    expect(output).to.include('\n  chat_messages 47\n');

    const source = await inEmbedded(contents);
    for (const table of copiedTables) expect(source[table], `nothing to copy in ${table}`).not.to.have.length(0);
    await using orm = await openOrm({ kind: 'postgresql', url }, silent);
    expect(await contents(orm)).to.deep.equal(source);
    expect(await orm.em.fork().execute(`select 1 from audit_events where action = 'copy-to'`)).to.have.length(1);
  });

  it('creates a database with which users stay signed in and can continue their conversations', async () => {
    await using database = closing(await openDatabase({ kind: 'postgresql', url }, silent));
    const person = await signIn(database, { subject: '1', name: unusual, email: 'avery@example.com' });
    expect(person.id).to.equal(userId);
    const opened = await database.turns.open({
      ...{ userId, orgId, conversationId, content: 'Shall we go on?', requestId: 'request 2' },
    });
    expect(opened.conversationId).to.equal(conversationId);
    await using orm = await openOrm({ kind: 'postgresql', url }, silent);
    const [last] = await orm.em.fork().execute('select content from chat_messages order by position desc limit 1');
    expect(last).to.deep.equal({ content: 'Shall we go on?' });
  });

  it('refuses a database with rows without changing it', async () => {
    await using orm = await openOrm({ kind: 'postgresql', url }, silent);
    const before = await contents(orm);
    expect((await refusal(copyTo(url))).message).to.match(
      /^The target is not empty: organizations \(2\), users \(2\), .* Nothing was copied\.$/,
    );
    expect(await contents(orm)).to.deep.equal(before);
  });

  it('refuses a database with an outdated schema without migrating it', async () => {
    await using target = await createEmptyDatabase();
    expect((await refusal(copyTo(target.url))).message).to.match(
      /^The target's schema lacks 2026-11-28-initial, [^.]*\. Run npm run migrate on it first\. Nothing was copied\.$/,
    );
    await using orm = await openOrm({ kind: 'postgresql', url: target.url }, silent);
    expect(await orm.em.fork().execute(`select 1 from pg_tables where schemaname = 'public'`)).to.deep.equal([]);
  });
});
