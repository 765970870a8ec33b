import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { migrateDatabase, openDatabase } from '../../server/database/database.ts';
import { migrations } from '../../server/database/migrations.ts';
import { openOrm } from '../../server/database/orm.ts';
import { acrossOrganizations } from '../../server/database/transactions.ts';
import { createLogger } from '../../server/http/process/logger.ts';
import type { ProviderName } from '../../shared/session.ts';
import { createBrowser } from '../support/browser.ts';
import { closing } from '../support/closing.ts';
import { createScriptedProvider, defaultReply, type ScriptedProvider } from '../support/scripted-provider.ts';
import { root, serveInProcess, temporaryDirectory } from '../support/served-process.ts';
import { run } from '../support/server-process.ts';
import { exampleOnboarding, question } from '../support/test-app.ts';
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

  it('goes on while the schema changes under it: it signs in, onboards, streams and stores', async () => {
    const avery = await signIn('google', 'avery@example.com');
    const { promise, resolve } = Promise.withResolvers<void>();
    model.answerWith({ steps: [{ text: 'Half, ' }, { wait: promise }, { text: 'whole.' }] });
    const meanwhile = await ask(avery, 'Before?');

    const { applied } = await migrateDatabase(settings, silent);
    expect(applied).not.to.be.empty;
    expect(migrations.migrationsList.map(({ name }) => name).slice(-applied.length)).to.deep.equal(applied);

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

    const messages = await rows('select role, content from chat_messages order by position');
    expect(messages.map(({ role, content }) => [role, content])).to.deep.equal([
      ['USER', 'Before?'],
      ['ASSISTANT', 'Half, whole.'],
      ['USER', 'After?'],
      ['ASSISTANT', defaultReply.text],
      ['USER', 'New here?'],
      ['ASSISTANT', defaultReply.text],
    ]);
    expect(await rows('select settled from token_uses')).to.deep.equal([1, 2, 3].map(() => ({ settled: true })));
  });

  it('starts on it too, and the release of now finds the schema as it left it', async () => {
    expect(await stop()).to.equal(0);
    await start();
    const casey = await signIn('github', 'casey-example');
    expect(await (await ask(casey, 'Is it the old one?')).text()).to.equal(defaultReply.text);
    await using database = closing(await openDatabase(settings, silent, { migrateAtStart: false }));
    await database.ping();
  });
});
