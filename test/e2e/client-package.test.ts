import { copyFile, cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { createBuiltPages } from '../../server/pages/built-pages.ts';
import { pages, routes } from '../../shared/interface.ts';
import { installedPackage } from '../client-package/installed-package.ts';
import { defaultReply } from '../support/scripted-provider.ts';
import { root, temporaryDirectory } from '../support/served-process.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { collectPageErrors } from './support/page-errors.ts';
import { launchChromium } from './support/visit.ts';

const page = `<!doctype html>
<html lang="en">
  <title>A page of somebody else's making</title>
  <link rel="icon" href="/favicon.svg" />
  <pre></pre>
  <script type="module" src="/assets/page.js"></script>
</html>
`;

const script = `
import { createConversation, createTranscript, createWebLock } from './advisory-chat-client/main.js';

const conversation = createConversation({
  url: '${routes.demoChat}',
  transcript: createTranscript(localStorage, 'somebody-else'),
  lock: createWebLock(navigator.locks, 'somebody-else'),
});
const phases = [];
conversation.subscribe(() => {
  const { phase } = conversation.getState();
  if (phases.at(-1) !== phase.name) phases.push(phase.name);
});
if (conversation.getState().turns.length === 0) await conversation.send('Where do we start?');
document.querySelector('pre').textContent = JSON.stringify({ phases, turns: conversation.getState().turns });
`;

describe('The package advisory-chat-client', () => {
  let app: TestApp;
  let remove: () => Promise<void>;

  before(async () => {
    const { project } = await installedPackage();
    const directory = await temporaryDirectory();
    ({ remove } = directory);
    await mkdir(join(directory.path, 'assets'));
    await writeFile(join(directory.path, 'index.html'), page);
    await writeFile(join(directory.path, 'assets/page.js'), script);
    await copyFile(join(root, 'client/favicon.svg'), join(directory.path, 'favicon.svg'));
    const assets = join(directory.path, 'assets/advisory-chat-client');
    await cp(join(project, 'node_modules/advisory-chat-client'), assets, { recursive: true });
    app = await createTestApp({ pages: createBuiltPages(directory.path) });
  });
  after(async () => {
    await app?.close();
    await remove?.();
  });

  it("runs on a plain page under the service's Content-Security-Policy: it retries, streams a reply and restores it after a reload", async () => {
    let attempts = 0;
    app.provider.answerWith(() => {
      attempts += 1;
      if (attempts > 1) return defaultReply.answer;
      return { refuse: { status: 529, type: 'overloaded_error', message: 'Scripted.' } };
    });
    const context = await (await launchChromium()).newContext({ baseURL: app.url });
    const errors = collectPageErrors(context, app.url);
    const opened = await context.newPage();
    const readState = async () => JSON.parse((await opened.locator('pre:not(:empty)').textContent()) ?? '');

    const turn = { question: 'Where do we start?', reply: defaultReply.text, ending: { type: 'done' } };
    await opened.goto(pages.demo);
    const first = await readState();
    expect(first.phases).to.deep.equal(['starting', 'waiting', 'retrying', 'waiting', 'streaming', 'idle']);
    expect(first.turns).to.have.length(1);
    expect(first.turns[0]).to.deep.include(turn);

    await opened.reload();
    expect(await readState()).to.deep.equal({ phases: [], turns: first.turns });
    expect(attempts).to.equal(2);
    await context.close();
    expect(errors).to.deep.equal([]);
  });
});
