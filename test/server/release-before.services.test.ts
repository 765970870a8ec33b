import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { migrateDatabase, openDatabase } from '../../server/database/database.ts';
import { migrate } from '../../server/database/migrate.ts';
import { migrations } from '../../server/database/migrations.ts';
import { type Orm, openOrm, unhurried } from '../../server/database/orm.ts';
import { acrossOrganizations } from '../../server/database/transactions.ts';
import { createLogger } from '../../server/http/process/logger.ts';
import type { ProviderName } from '../../shared/session.ts';
import { type Browser, createBrowser } from '../support/browser.ts';
import { closing } from '../support/closing.ts';
import { createScriptedProvider, defaultReply, type ScriptedProvider } from '../support/scripted-provider.ts';
import { root, serveInProcess, temporaryDirectory } from '../support/served-process.ts';
import { run } from '../support/server-process.ts';
import { exampleOnboarding, question } from '../support/test-app.ts';
import { betweenStatements, waitingOrOver } from './database/between-statements.ts';
import { createEmptyDatabase } from './database/empty-database.ts';

/*
 * The release before, as it was: `server`, `shared` and package.json of its commit. A checkout of CI has no history, and
 * what a copy of its statements would leave out is what breaks. A release is packed when it is made:
 *   git archive --format=tar TAG server shared package.json | gzip -9n > test/releases/VERSION.tar.gz
 */
const release = join(root, 'test/releases/1.0.0.tar.gz');

const json = { 'Content-Type': 'application/json' };
const silent = createLogger({ level: 'silent' });

describe('the release before, on the schema of this one', function () {
  this.timeout(120_000);
  let opened: AsyncDisposableStack;
  let model: ScriptedProvider;
  let served: ReturnType<typeof serveInProcess>;
  let url: string;
  let settings: { kind: 'postgresql'; url: string };
  let start: () => Promise<void>;

  before(async () => {
    opened = new AsyncDisposableStack();
    const directory = await temporaryDirectory();
    opened.defer(directory.remove);
    await run('tar', ['-xzf', release, '-C', directory.path]);
    await symlink(join(root, 'node_modules'), join(directory.path, 'node_modules'));
    // It builds pages when it starts. Which ones makes no difference here.
    await mkdir(join(directory.path, 'client'));
    await writeFile(join(directory.path, 'client/index.html'), '<title>Pages of the release before</title>');
    await writeFile(join(directory.path, 'vite.config.ts'), `export default { build: { outDir: '../dist/client' } };`);

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
    start = async () => {
      served = serveInProcess(variables, { directory: directory.path });
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

  async function signedInAs(login: string): Promise<unknown> {
    const browser = createBrowser(url);
    await browser.signInWith('github', login);
    return (await (await browser.request('/auth/session')).json()).user?.email;
  }

  /** What turns and sign-ins are answered that begin in the middle of a migration. */
  async function answersDuring(migrateOver: (orm: Orm) => Promise<void>, avery: Browser) {
    await using orm = await openOrm(settings, silent, unhurried);
    await using watching = await openOrm(settings, silent, unhurried);
    const answers: { request: string; answer: unknown }[] = [];
    const underWay = new Set<Promise<unknown>>();
    const send = (request: string, answering: Promise<unknown>) => {
      const sent = answering.then((answer) => {
        answers.push({ request, answer });
        underWay.delete(sent);
      });
      underWay.add(sent);
    };
    betweenStatements(orm, async (statement) => {
      // Some of them, because one person may ask sixty times in a minute.
      if (!/^(alter|grant) /.test(statement)) return;
      send(
        'a turn',
        ask(avery, 'Meanwhile?').then((response) => response.text()),
      );
      send('a sign-in', signedInAs('casey-example'));
      await waitingOrOver(watching, underWay);
    });
    await migrateOver(orm);
    await Promise.all(underWay);
    return answers;
  }

  it('goes on while the schema changes under it: it signs in, onboards, streams and stores', async () => {
    const avery = await signIn('google', 'avery@example.com');
    const { promise, resolve } = Promise.withResolvers<void>();
    const slow = { steps: [{ text: 'Half, ' }, { wait: promise }, { text: 'whole.' }] };
    model.answerWith(({ body }) => (JSON.stringify(body.messages).includes('Before?') ? slow : defaultReply.answer));
    const meanwhile = await ask(avery, 'Before?');

    const answers = await answersDuring(async (migrating) => {
      const applied = await migrate(migrating, { shared: false });
      expect(applied).not.to.be.empty;
      expect(migrations.migrationsList.map(({ name }) => name).slice(-applied.length)).to.deep.equal(applied);
    }, avery);
    expect(answers).not.to.be.empty;
    expect(
      answers.filter(
        ({ answer }) => answer !== defaultReply.text && answer !== 'casey-example@users.noreply.localhost',
      ),
    ).to.deep.equal([]);

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

  it('starts on it too, and the release of now finds the schema as it left it', async () => {
    expect(await stop()).to.equal(0);
    await start();
    const casey = await signIn('github', 'casey-example');
    expect(await (await ask(casey, 'Is it the old one?')).text()).to.equal(defaultReply.text);
    await using database = closing(await openDatabase(settings, silent, { migrateAtStart: false }));
    await database.ping();
  });

  it('leads to the schema that a new database has', async () => {
    await migrateDatabase(settings, silent);
    await using fresh = await createEmptyDatabase();
    await migrateDatabase({ kind: 'postgresql', url: fresh.url }, silent);
    const [upgraded, made] = [await schemaOf(settings.url), await schemaOf(fresh.url)];
    expect(upgraded.filter((statement) => !made.includes(statement))).to.deep.equal([]);
    expect(made.filter((statement) => !upgraded.includes(statement))).to.deep.equal([]);
  });
});

/** The statements that make a schema, without what differs from one dump to the next. */
async function schemaOf(url: string): Promise<string[]> {
  const { stdout } = await run('pg_dump', ['--schema-only', url], { maxBuffer: 2 ** 26 });
  return stdout.split(/\n{2,}/).filter((statement) => !/^(--|\\)/.test(statement));
}
