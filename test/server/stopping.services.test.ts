import { expect } from 'chai';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import { createBrowser } from '../support/browser.ts';
import { perSuite } from '../support/per-suite.ts';
import { createScriptedProvider } from '../support/scripted-provider.ts';
import { serveInProcess, temporaryDirectory } from '../support/served-process.ts';
import { required, testDatabaseUrl } from '../support/services.ts';
import { createTcpProxy } from '../support/tcp-proxy.ts';
import { exampleOnboarding, post, question } from '../support/test-app.ts';
import { createTestDatabase, databaseOn } from '../support/test-database.ts';

describe('a process that receives SIGTERM during a database outage', () => {
  let proxy: Awaited<ReturnType<typeof createTcpProxy>>;
  let served: ReturnType<typeof serveInProcess>;
  let reply: Response;
  let finish: () => void;

  after(async () => {
    await proxy.close().catch(() => undefined);
  });
  const storage = perSuite(() => createTestDatabase());
  const provider = perSuite(() => createScriptedProvider());
  const data = perSuite(() => temporaryDirectory());
  before(async () => {
    const [row] = await storage.rows('select current_database() as name');
    proxy = await createTcpProxy(databaseOn(required(testDatabaseUrl), String(row?.name)));
  });

  beforeEach(async () => {
    served = serveInProcess({
      DATA_DIR: data.path,
      DATABASE_URL: proxy.url,
      ANTHROPIC_BASE_URL: provider.url,
      // The process exits 15 s after the grace period if the database does not respond.
      SHUTDOWN_GRACE_MS: '1',
    });
    const url = await served.url;
    const browser = createBrowser(url);
    await browser.signInWith('google', 'avery@example.com');
    await browser.post('/onboarding', exampleOnboarding);
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

  it('stores the reply if the database comes back', async () => {
    await proxy.cut();
    finish();
    expect(await reply.text()).to.equal('Half, whole.');
    served.kill('SIGTERM');
    await served.printed(/stopping/);
    await served.printed(/a database write failed/);
    expect(await roles()).to.deep.equal(['USER']);
    await proxy.restore();
    expect(await served.exited).to.equal(0);
    expect(await roles()).to.deep.equal(['USER', 'ASSISTANT']);
    expect(served.output.join('\n')).to.include('late write succeeded');
  });

  it('exits if the database does not respond, and logs that the write may be lost', async () => {
    proxy.freeze();
    finish();
    expect(await reply.text()).to.equal('Half, whole.');
    served.kill('SIGTERM');
    expect(await served.exited).to.equal(0);
    expect(served.output.join('\n')).to.match(/the write may be lost/);
    expect(await roles()).to.deep.equal(['USER']);
    proxy.thaw();
  });
});
