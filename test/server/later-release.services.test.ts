import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { noTimeLimit, type Orm, openOrm } from '../../server/database/orm.ts';
import { migrate } from '../../server/database/schema/run-migrations.ts';
import { acrossOrganizations } from '../../server/database/transactions.ts';
import { createLogger } from '../../server/http/logger.ts';
import type { ProviderName } from '../../shared/session.ts';
import { type Browser, createBrowser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { createScriptedProvider, defaultReply, type ScriptedProvider } from '../support/scripted-provider.ts';
import { serveInProcess, temporaryDirectory } from '../support/served-process.ts';
import { exampleOnboarding, question } from '../support/test-app.ts';
import { createEmptyDatabase } from './database/schema/empty-database.ts';
import { laterMigrations, listOfLaterRelease } from './database/schema/later-release.ts';

const silent = createLogger({ level: 'silent' });

describe('this release beside a later one', () => {
  let opened: AsyncDisposableStack;
  let model: ScriptedProvider;
  let url: string;
  let settings: { kind: 'postgresql'; url: string };

  before(async () => {
    opened = new AsyncDisposableStack();
    const data = await temporaryDirectory();
    opened.defer(data.remove);
    model = await createScriptedProvider();
    opened.defer(model.close);
    const empty = opened.use(await createEmptyDatabase());
    settings = { kind: 'postgresql', url: empty.url };
    const served = serveInProcess({
      DATABASE_URL: empty.url,
      DATA_DIR: data.path,
      ANTHROPIC_BASE_URL: model.url,
      TOKENS_PER_DAY_USER: '1000000',
      TOKENS_PER_DAY_ORGANIZATION: '1000000',
    });
    opened.defer(async () => {
      served.kill('SIGTERM');
      await served.exited;
    });
    url = await served.url;
  });
  after(() => opened.disposeAsync());

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
      where relkind = 'r' and relnamespace = 'public'::regnamespace and relname <> 'schema_migrations' order by relname`);

  async function signIn(provider: ProviderName, who: string) {
    const browser = createBrowser(url);
    await browser.signInWith(provider, who);
    expect((await browser.post('/onboarding', exampleOnboarding)).status).to.equal(204);
    return browser;
  }

  const ask = (browser: Browser, content: string, conversationId?: string | null) =>
    browser.post('/api/chat', { ...question(content), conversationId });

  async function signedInAs(login: string): Promise<unknown> {
    const browser = createBrowser(url);
    await browser.signInWith('github', login);
    return (await (await browser.request('/auth/session')).json()).user?.email;
  }

  /** Migrates as the later release, and returns the results of the turns and sign-ins that start in the meantime. */
  async function resultsDuringMigration(user: Browser) {
    await using migrating = await openOrm(settings, silent, noTimeLimit);
    await using watching = await openOrm(settings, silent, noTimeLimit);
    const results: unknown[] = [];
    const inFlight = new Set<Promise<unknown>>();
    const send = (request: Promise<unknown>) => {
      const sent = request.then((result) => {
        results.push(result);
        inFlight.delete(sent);
      });
      inFlight.add(sent);
    };
    afterEachStatement(migrating, async (statement) => {
      // Sends requests after only some of the statements, because a user can send only 60 turns per minute.
      if (!/^(alter|update|create or replace function (open|close)_turn|comment)/m.test(statement)) return;
      send(ask(user, 'Meanwhile?').then((response) => response.text()));
      send(signedInAs('casey-example'));
      await allWaitingForLocks(watching, inFlight);
    });
    const applied = await migrate(migrating, { isShared: false, migrationList: listOfLaterRelease });
    await Promise.all(inFlight);
    return { applied, results };
  }

  it('signs users in, onboards them, and streams and stores replies while the later release migrates', async () => {
    const avery = await signIn('google', 'avery@example.com');
    const { promise, resolve } = Promise.withResolvers<void>();
    const slow = { steps: [{ text: 'Half, ' }, { wait: promise }, { text: 'whole.' }] };
    model.answerWith(({ body }) => (JSON.stringify(body.messages).includes('Before?') ? slow : defaultReply.answer));
    const before = await ask(avery, 'Before?');
    const files = await filesOfTables();

    // Makes the later release replace the functions too.
    await rows(`comment on table schema_migrations is 'Functions of 0.9.0, sha256 other'`);
    const { applied, results } = await resultsDuringMigration(avery);
    expect(applied).to.deep.equal([...laterMigrations, 'functions']);
    expect(new Set(results)).to.deep.equal(new Set([defaultReply.text, 'casey-example@users.noreply.localhost']));
    expect(await filesOfTables(), 'no table is rewritten').to.deep.equal(files);

    resolve();
    expect(await before.text()).to.equal('Half, whole.');
    model.reset();
    const conversationId = before.headers.get('x-conversation-id');
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
});

function afterEachStatement(orm: Orm, after: (statement: string) => Promise<void>): void {
  const { driver } = orm;
  const execute = driver.execute.bind(driver);
  driver.execute = (async (...parameters: Parameters<typeof driver.execute>) => {
    const result = await execute(...parameters);
    await after(String(parameters[0]));
    return result;
  }) as typeof driver.execute;
}

async function allWaitingForLocks(orm: Orm, inFlight: { readonly size: number }): Promise<void> {
  await eventually(async () => {
    const [row] = await orm.em.fork().execute<{ waiting: number }[]>(
      `select count(*)::int as waiting from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return row?.waiting === inFlight.size ? true : undefined;
  });
}
