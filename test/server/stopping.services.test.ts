import { expect } from 'chai';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import { createBrowser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { createScriptedProvider, type ScriptedProvider } from '../support/scripted-provider.ts';
import { serveInProcess, temporaryDirectory } from '../support/served-process.ts';
import { required, testDatabaseUrl } from '../support/services.ts';
import { createTcpProxy } from '../support/tcp-proxy.ts';
import { exampleOnboarding, post, question } from '../support/test-app.ts';
import { createTestDatabase, databaseOn, type TestDatabase } from '../support/test-database.ts';

describe('a process whose database is away', function () {
  this.timeout(120_000);
  let storage: TestDatabase;
  let proxy: Awaited<ReturnType<typeof createTcpProxy>>;
  let provider: ScriptedProvider;
  let data: Awaited<ReturnType<typeof temporaryDirectory>>;
  let served: ReturnType<typeof serveInProcess>;
  let reply: Response;
  let finish: () => void;

  before(async () => {
    storage = await createTestDatabase();
    provider = await createScriptedProvider();
    data = await temporaryDirectory();
    const [row] = await storage.rows('select current_database() as name');
    proxy = await createTcpProxy(databaseOn(required(testDatabaseUrl), String(row?.name)));
  });
  after(async () => {
    await provider.close();
    await data.remove();
    await storage.close();
    await proxy.close().catch(() => undefined);
  });

  /** A reply of live chat is under way. */
  beforeEach(async () => {
    served = serveInProcess({ DATA_DIR: data.path, DATABASE_URL: proxy.url, ANTHROPIC_BASE_URL: provider.url });
    const url = await served.url;
    const browser = createBrowser(url);
    await browser.signInWith('google', 'avery@example.com');
    await browser.request('/onboarding', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(exampleOnboarding),
    });
    await storage.rows('delete from conversations');
    const { promise, resolve } = Promise.withResolvers<void>();
    finish = resolve;
    provider.answerWith({ steps: [{ text: 'Half, ' }, { wait: promise }, { text: 'whole.' }] });
    reply = await post(`${url}/api/chat`, question(), { Cookie: browser.cookies().join('; ') });
  });
  afterEach(async () => {
    served.kill('SIGKILL');
    await served.exited;
  });

  const roles = async () =>
    (await storage.rows('select role from chat_messages order by position')).map(({ role }) => role);
  const logged = (message: string) => served.output.some((line) => line.includes(message));

  it('when it is told to stop stores the answer, if the database comes back', async () => {
    await proxy.cut();
    finish();
    expect(await reply.text()).to.equal('Half, whole.');
    served.kill('SIGTERM');
    await eventually(() => (logged('stopping') && logged('a write failed') ? true : undefined));
    expect(await roles()).to.deep.equal(['USER']);
    await proxy.mend();
    expect(await served.exited).to.equal(0);
    expect(await roles()).to.deep.equal(['USER', 'ASSISTANT']);
    expect(logged('late write succeeded')).to.equal(true);
  });

  it('and frozen does not keep it from ending, and names what is lost', async () => {
    proxy.freeze();
    finish();
    expect(await reply.text()).to.equal('Half, whole.');
    served.kill('SIGTERM');
    expect(await served.exited).to.equal(0);
    expect(logged('a write was abandoned: this row is lost')).to.equal(true);
    expect(await roles()).to.deep.equal(['USER']);
    proxy.thaw();
  });

  it('has the question stored when it is killed in mid-reply, and nothing of the reply', async () => {
    served.kill('SIGKILL');
    expect(await served.exited).to.equal('SIGKILL');
    expect(await roles()).to.deep.equal(['USER']);
    finish();
    await reply.text().catch(() => undefined);
  });
});
