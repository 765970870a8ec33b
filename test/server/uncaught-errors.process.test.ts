import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import { pino } from 'pino';
import { openOrm } from '../../server/database/orm.ts';
import { createBrowser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { migratedDataDirectory } from '../support/migrated-cluster.ts';
import { createScriptedProvider, defaultReply, type ScriptedProvider } from '../support/scripted-provider.ts';
import { root, serveInProcess } from '../support/served-process.ts';
import { exampleOnboarding, post, question } from '../support/test-app.ts';

const internal = 'INTERNAL: Something went wrong on our side.';
const upstream = 'UPSTREAM_ERROR: The model could not finish the reply.';

describe('an error that nobody caught', function () {
  this.timeout(120_000);
  let data: Awaited<ReturnType<typeof migratedDataDirectory>>;
  let provider: ScriptedProvider;
  let served: ReturnType<typeof serveInProcess>;
  let url: string;
  let finish: () => void;
  let finished: Promise<void>;

  before(async () => {
    data = await migratedDataDirectory();
    provider = await createScriptedProvider();
  });
  after(async () => {
    await provider.close();
    await data.remove();
  });
  beforeEach(async () => {
    served = serveInProcess({
      NODE_OPTIONS: `--import=${pathToFileURL(join(root, 'test/support/breaking-library.ts'))}`,
      DATA_DIR: data.path,
      ANTHROPIC_BASE_URL: provider.url,
      SHUTDOWN_GRACE_MS: '600000',
    });
    url = await served.url;
    ({ promise: finished, resolve: finish } = Promise.withResolvers<void>());
    provider.reset();
    provider.answerWith(({ body }) => {
      const asked = JSON.stringify(body.messages);
      const open = new Promise(() => undefined);
      // What breaks may take longer to than a reply takes to come.
      if (asked.includes('breaks')) return { steps: [{ wait: open }] };
      if (asked.includes('break later')) {
        return { steps: [{ text: 'Half, ' }, { wait: finished }, { text: 'a promise breaks' }, { wait: open }] };
      }
      return asked.includes('slowly')
        ? { steps: [{ text: 'Half, ' }, { wait: finished }, { text: 'whole.' }] }
        : defaultReply.answer;
    });
  });
  afterEach(async () => {
    served.kill('SIGKILL');
    await served.exited;
  });

  const demo = (content: string, requestId: string) =>
    post(`${url}/api/chat/demo`, question(content), { 'X-Request-Id': requestId });

  /** The log's line about the error itself, once the error has come. */
  const fatal = (requestId: string) =>
    eventually(() =>
      served.output
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line))
        .find((line) => line.msg === 'an error that nobody caught' && line.requestId === requestId),
    );

  for (const [where, origin] of [
    ['a timer', 'uncaughtException'],
    ['a socket', 'uncaughtException'],
    ['a promise', 'unhandledRejection'],
  ] as const) {
    it(`in ${where} is logged with the id of its request, which is answered; others finish, and the process ends as a failure`, async () => {
      const other = await demo('slowly', 'other');
      const broken = await demo(`${where} breaks`, 'broken');
      expect([broken.status, await broken.text()]).to.deep.equal([502, upstream]);
      expect(broken.headers.get('connection')).to.equal('close');
      const line = await fatal('broken');
      expect(line).to.include({ level: 60, origin });
      expect(line.ownId).to.match(/^[0-9A-HJKMNP-TV-Z]{26}$/);
      expect(line.err.stack).to.match(/^at test\/support\/breaking-library\.ts:/);
      expect(JSON.stringify(line)).not.to.include(`broken in ${where}`);
      finish();
      expect(await other.text()).to.equal('Half, whole.');
      expect(await served.exited).to.equal(1);
    });
  }

  it('that is no error at all is answered and logged too', async () => {
    const broken = await demo('a thing breaks', 'broken');
    expect([broken.status, await broken.text()]).to.deep.equal([502, upstream]);
    await fatal('broken');
    expect(await served.exited).to.equal(1);
  });

  it('on live chat is 500 INTERNAL, and after its first text the error line', async () => {
    const browser = createBrowser(url);
    await browser.signInWith('google', 'avery@example.com');
    await browser.request('/onboarding', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(exampleOnboarding),
    });
    const live = (content: string, requestId: string) =>
      post(`${url}/api/chat`, question(content), { Cookie: browser.cookies().join('; '), 'X-Request-Id': requestId });
    const begun = await live('break later', 'begun');
    const other = await live('slowly', 'other');
    const broken = await live('a timer breaks', 'broken');
    expect([broken.status, await broken.text()]).to.deep.equal([500, internal]);
    await fatal('broken');

    // The second comes while the process drains: it ends its own request, and nothing else.
    finish();
    expect(await begun.text()).to.equal(`Half, a promise breaks\n\n[${upstream}]`);
    await fatal('begun');
    expect(await other.text()).to.equal('Half, whole.');
    expect(await served.exited).to.equal(1);
    const lines = served.output.filter((line) => line.includes('"path":"/api/chat"')).map((line) => JSON.parse(line));
    expect(lines.find(({ requestId }) => requestId === 'begun')).to.include({ code: 'INTERNAL', ending: 'aborted' });

    const orm = await openOrm({ kind: 'embedded', directory: join(data.path, 'database') }, pino({ level: 'silent' }));
    const rows: Record<string, string>[] = await orm.em
      .fork()
      .execute('select request_id, role, content from chat_messages order by position');
    await orm.close(true);
    const answers = rows.filter(({ role }) => role === 'ASSISTANT');
    expect(answers.map(({ request_id, content }) => [request_id, content])).to.have.deep.members([
      ['begun', 'Half, a promise breaks'],
      ['other', 'Half, whole.'],
    ]);
    expect(rows.length - answers.length).to.equal(3);
  });
});
