import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { migrateDatabase, openDatabase } from '../../server/database/database.ts';
import { migrate } from '../../server/database/migrate.ts';
import { steps } from '../../server/database/migrations.ts';
import { type Orm, openOrm, withoutTimeLimit } from '../../server/database/orm.ts';
import { acrossOrganizations, tenantRole } from '../../server/database/tenant.ts';
import { createLogger } from '../../server/http/logger.ts';
import type { ProviderName } from '../../shared/session.ts';
import { type Browser, createBrowser } from '../support/browser.ts';
import { closing } from '../support/closing.ts';
import { eventually } from '../support/eventually.ts';
import { unpackRelease } from '../support/releases.ts';
import { createScriptedProvider, defaultReply, type ScriptedProvider } from '../support/scripted-provider.ts';
import { serveInProcess } from '../support/served-process.ts';
import { run } from '../support/server-process.ts';
import { exampleOnboarding, question } from '../support/test-app.ts';
import { createEmptyDatabase } from './database/empty-database.ts';

const json = { 'Content-Type': 'application/json' };
const silent = createLogger({ level: 'silent' });

/** Drops the objects that only a release calls or needs. The release after this one drops them too. */
const turnParameters = [
  'text, text, text, text, text, text, text',
  `${'text, '.repeat(6)}int, int, int, int, text, text, text`,
] as const;
const dropsOfFirstRelease = [
  `drop function open_turn(${turnParameters[0]})`,
  `drop function open_budgeted_turn(${turnParameters[0]}, text, int, bigint, bigint)`,
  `drop function close_turn(${turnParameters[1]})`,
  `drop function close_budgeted_turn(${turnParameters[1]}, text, int)`,
  // The functions above call this function as the tenant role.
  `revoke execute on function settle_turn(text, text, int) from ${tenantRole}`,
];
const dropsByRelease = {
  '1.0.0': dropsOfFirstRelease,
  '1.1.0': [
    ...dropsOfFirstRelease,
    `drop function close_turn(${turnParameters[1]}, text)`,
    `drop function close_budgeted_turn(${turnParameters[1]}, text, text, int)`,
    `drop function reopen_turn(${turnParameters[0]})`,
    `drop function reopen_budgeted_turn(${turnParameters[0]}, text, int, bigint, bigint)`,
    'drop function take_over_turn(text, text)',
    'drop function drop_cut_answer(text, text, text, text)',
    'drop function superseded_attempts(json)',
    'drop table repeated_turns',
    'drop index chat_messages_user_id_created_at_index',
  ],
};

for (const release of ['1.0.0', '1.1.0'] as const) {
  describe(`release ${release} on the schema of this release`, function () {
    this.timeout(120_000);
    let opened: AsyncDisposableStack;
    let model: ScriptedProvider;
    let served: ReturnType<typeof serveInProcess>;
    let url: string;
    let settings: { kind: 'postgresql'; url: string };
    let start: (which?: 'this release') => Promise<void>;

    before(async () => {
      opened = new AsyncDisposableStack();
      const directory = opened.use(await unpackRelease(release));
      // The release builds its pages at start-up. Their content is irrelevant here.
      await mkdir(join(directory.path, 'client'));
      await writeFile(join(directory.path, 'client/index.html'), '<title>Pages of the release before</title>');
      await writeFile(
        join(directory.path, 'vite.config.ts'),
        `export default { build: { outDir: '../dist/client' } };`,
      );

      model = await createScriptedProvider();
      opened.defer(model.close);
      const empty = opened.use(await createEmptyDatabase());
      settings = { kind: 'postgresql', url: empty.url };
      const variables = {
        DATABASE_URL: empty.url,
        DATA_DIR: join(directory.path, '.data'),
        ANTHROPIC_BASE_URL: model.url,
        TOKENS_PER_DAY_USER: '1000000',
        TOKENS_PER_DAY_ORGANIZATION: '1000000',
      };
      start = async (which) => {
        served = serveInProcess(variables, which ? {} : { directory: directory.path });
        url = await served.url;
      };
      opened.defer(async () => void (await stop()));
      await start();
    });
    after(() => opened.disposeAsync());

    async function stop() {
      served.kill('SIGTERM');
      return served.exited;
    }

    async function rows(sql: string): Promise<Record<string, unknown>[]> {
      const orm = await openOrm(settings, silent);
      try {
        return await acrossOrganizations(orm, (em) => em.execute(sql));
      } finally {
        await orm.close(true);
      }
    }

    const filesOfTables = () =>
      rows(`select relname as name, relfilenode as file from pg_class
        where relkind = 'r' and relnamespace = 'public'::regnamespace and relname not in ('schema_migrations', 'repeated_turns')`);

    async function signIn(provider: ProviderName, who: string) {
      const browser = createBrowser(url);
      await browser.signInWith(provider, who);
      const body = JSON.stringify(exampleOnboarding);
      expect((await browser.request('/onboarding', { method: 'POST', headers: json, body })).status).to.equal(204);
      return browser;
    }

    const ask = (browser: ReturnType<typeof createBrowser>, content: string, conversationId?: string | null) =>
      browser.request('/api/chat', {
        method: 'POST',
        headers: json,
        body: JSON.stringify({ ...question(content), conversationId }),
      });

    const askAs = (cookie: string, content: string, conversationId?: string | null) =>
      fetch(`${url}/api/chat`, {
        method: 'POST',
        headers: { ...json, Cookie: cookie },
        body: JSON.stringify({ ...question(content), conversationId }),
      });

    async function signedInAs(login: string): Promise<unknown> {
      const browser = createBrowser(url);
      await browser.signInWith('github', login);
      return (await (await browser.request('/auth/session')).json()).user?.email;
    }

    /** Returns the responses to turns and sign-ins that start during a migration. */
    async function answersDuring(migrateDuring: (orm: Orm) => Promise<void>, avery: Browser) {
      await using orm = await openOrm(settings, silent, withoutTimeLimit);
      await using watching = await openOrm(settings, silent, withoutTimeLimit);
      const answers: { request: string; answer: unknown }[] = [];
      const inFlight = new Set<Promise<unknown>>();
      const send = (request: string, answering: Promise<unknown>) => {
        const sent = answering.then((answer) => {
          answers.push({ request, answer });
          inFlight.delete(sent);
        });
        inFlight.add(sent);
      };
      afterEachStatement(orm, async (statement) => {
        // Sends a turn after only some of the statements, because a user can send only 60 turns per minute.
        if (!/^(alter|grant) /.test(statement)) return;
        send(
          'a turn',
          ask(avery, 'Meanwhile?').then((response) => response.text()),
        );
        send('a sign-in', signedInAs('casey-example'));
        await allWaitingForLocks(watching, inFlight);
      });
      await migrateDuring(orm);
      await Promise.all(inFlight);
      return answers;
    }

    it('signs in, onboards, streams and stores while the schema is migrated', async () => {
      const avery = await signIn('google', 'avery@example.com');
      const { promise, resolve } = Promise.withResolvers<void>();
      const slow = { steps: [{ text: 'Half, ' }, { wait: promise }, { text: 'whole.' }] };
      model.answerWith(({ body }) => (JSON.stringify(body.messages).includes('Before?') ? slow : defaultReply.answer));
      const meanwhile = await ask(avery, 'Before?');
      const files = await filesOfTables();

      const answers = await answersDuring(async (migrating) => {
        const applied = await migrate(migrating, { shared: false });
        expect(steps).to.include.members(applied);
        expect(applied).to.include('functions');
      }, avery);
      expect(answers).not.to.be.empty;
      expect(
        answers.filter(
          ({ answer }) => answer !== defaultReply.text && answer !== 'casey-example@users.noreply.localhost',
        ),
      ).to.deep.equal([]);

      expect(await filesOfTables(), 'no table is rewritten').to.include.deep.members(files);

      resolve();
      expect(await meanwhile.text()).to.equal('Half, whole.');
      model.reset();
      const conversationId = meanwhile.headers.get('x-conversation-id');
      const next = await ask(avery, 'After?', conversationId);
      expect(await next.text()).to.equal(defaultReply.text);
      expect(next.headers.get('x-conversation-id')).to.equal(conversationId);

      const blake = await signIn('google', 'blake@example.com');
      expect(await (await ask(blake, 'New here?')).text()).to.equal(defaultReply.text);
      expect((await blake.request('/auth/sign-out-everywhere', { method: 'POST' })).status).to.equal(204);
      expect((await ask(blake, 'Still here?')).status).to.equal(401);

      const messages = await rows(`select role, content from chat_messages
      where conversation_id not in (select conversation_id from chat_messages where content = 'Meanwhile?') order by position`);
      expect(messages.map(({ role, content }) => [role, content])).to.deep.equal([
        ['USER', 'Before?'],
        ['ASSISTANT', 'Half, whole.'],
        ['USER', 'After?'],
        ['ASSISTANT', defaultReply.text],
        ['USER', 'New here?'],
        ['ASSISTANT', defaultReply.text],
      ]);
      expect(await rows('select distinct settled from token_uses')).to.deep.equal([{ settled: true }]);
    });

    it('starts on the schema without changing it', async () => {
      expect(await stop()).to.equal(0);
      await start();
      const casey = await signIn('github', 'casey-example');
      expect(await (await ask(casey, 'Is it the old one?')).text()).to.equal(defaultReply.text);
      await using database = closing(await openDatabase(settings, silent, { migrateAtStart: false }));
      await database.ping();
    });

    it('can be upgraded and rolled back while users stay signed in and conversations and budgets continue', async () => {
      const drew = (await signIn('microsoft', 'drew@example.com')).cookies().join('; ');
      const firstTurn = await askAs(drew, 'Before the update?');
      expect(await firstTurn.text()).to.equal(defaultReply.text);
      const conversationId = firstTurn.headers.get('x-conversation-id');
      const goOn = async (cookie: string, content: string, conversationId: string | null) => {
        const response = await askAs(cookie, content, conversationId);
        expect([response.status, await response.text()]).to.deep.equal([200, defaultReply.text]);
        return response.headers.get('x-conversation-id');
      };

      expect(await stop()).to.equal(0);
      await start('this release');
      expect(await goOn(drew, 'After the update?', conversationId)).to.equal(conversationId);
      const browser = createBrowser(url);
      await browser.signInWith('google', 'avery@example.com');
      const avery = browser.cookies().join('; ');
      const ofAvery = await goOn(avery, 'New here?', null);

      expect(await stop()).to.equal(0);
      await start();
      expect(await goOn(drew, 'Back again?', conversationId)).to.equal(conversationId);
      expect(await goOn(avery, 'Still here?', ofAvery)).to.equal(ofAvery);

      const questions = await rows(
        `select content, count(*) over (partition by conversation_id)::int as messages from chat_messages
          where conversation_id in ('${conversationId}', '${ofAvery}') order by position`,
      );
      const asked = questions.filter(({ content }) => content !== defaultReply.text);
      expect(asked.map(({ content, messages }) => [content, messages])).to.deep.equal([
        ['Before the update?', 6],
        ['After the update?', 6],
        ['New here?', 4],
        ['Back again?', 6],
        ['Still here?', 4],
      ]);
      expect(await rows('select distinct settled from token_uses')).to.deep.equal([{ settled: true }]);
    });

    it('is upgraded to the schema of a new database, except for objects that the old release needs', async () => {
      await migrateDatabase(settings, silent);
      for (const drop of dropsByRelease[release]) await rows(drop);
      await using fresh = await createEmptyDatabase();
      await migrateDatabase({ kind: 'postgresql', url: fresh.url }, silent);
      const [upgraded, created] = [await schemaOf(settings.url), await schemaOf(fresh.url)];
      expect(upgraded.filter((statement) => !created.includes(statement))).to.deep.equal([]);
      expect(created.filter((statement) => !upgraded.includes(statement))).to.deep.equal([]);
    });
  });
}

/** Returns the statements of a schema dump, without comments, which differ between dumps. */
async function schemaOf(url: string): Promise<string[]> {
  const { stdout } = await run('pg_dump', ['--schema-only', url], { maxBuffer: 2 ** 26 });
  return stdout.split(/\n{2,}/).filter((statement) => !/^(--|\\)/.test(statement));
}

/** Calls `after` once each statement of `orm` has run, before the next one. */
function afterEachStatement(orm: Orm, after: (statement: string) => Promise<void>): void {
  const { driver } = orm;
  const execute = driver.execute.bind(driver);
  driver.execute = (async (...parameters: Parameters<typeof driver.execute>) => {
    const result = await execute(...parameters);
    await after(String(parameters[0]).replaceAll(/\s+/g, ' ').slice(0, 80));
    return result;
  }) as typeof driver.execute;
}

/** Resolves when every request in `inFlight` waits for a database lock. */
async function allWaitingForLocks(orm: Orm, inFlight: { readonly size: number }): Promise<void> {
  await eventually(async () => {
    const [row] = await orm.em.fork().execute<{ waiting: number }[]>(
      `select count(*)::int as waiting from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return row?.waiting === inFlight.size ? true : undefined;
  });
}
