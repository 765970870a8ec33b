import { copyFile, cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { build } from 'vite';
import type { ProviderStep } from '../../server/embedded/provider-server.ts';
import { createBuiltPages } from '../../server/pages/built-pages.ts';
import { pages, routes } from '../../shared/interface.ts';
import { installedPackage } from '../client-package/installed-package.ts';
import { readDocument } from '../support/document.ts';
import { perSuite } from '../support/per-suite.ts';
import { defaultReply } from '../support/scripted-provider.ts';
import { root, temporaryDirectory } from '../support/served-process.ts';
import { createTestApp } from '../support/test-app.ts';
import { collectPageErrors } from './support/page-errors.ts';
import { openContext } from './support/visit.ts';

const readme = readDocument('client-package/README.md');

/** Returns the HTML of a page with `script`, a script element. */
const pageWith = (script: string) =>
  `<!doctype html><html lang="en"><title>An example</title><link rel="icon" href="/favicon.svg"><div id="root"></div>${script}</html>`;

const script = `
import { createConversation } from './advisory-chat-client/main.js';

const conversation = createConversation({ url: '${routes.demoChat}', persist: 'somebody-else' });
const phases = [];
conversation.subscribe(() => {
  const { phase } = conversation.getState();
  if (phases.at(-1) !== phase.name) phases.push(phase.name);
});
if (conversation.getState().turns.length === 0) await conversation.send('Where do we start?');
document.querySelector('#root').textContent = JSON.stringify({ phases, turns: conversation.getState().turns });
`;

/** Pages that use the examples of the README. */
const examples = {
  '/react': {
    script: `
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { Chat } from './chat.jsx';
createRoot(document.getElementById('root')).render(createElement(Chat));
`,
    heading: '## Show it with React',
    language: 'jsx',
  },
  '/vue': {
    script: `
import { createApp, h } from 'vue';
import { conversation, useChat, useSecondsLeft } from './chat.js';
createApp({
  setup() {
    const state = useChat();
    const seconds = useSecondsLeft(() => state.value.cooldownUntil);
    return () => [
      h('textarea', { 'aria-label': 'Message', value: state.value.draft.text, onInput: (event) => conversation.setDraft(event.target.value) }),
      h('button', { onClick: () => conversation.send() }, 'Send'),
      state.value.turns.map(({ id, question, reply }) => h('article', { key: id }, [h('h2', question), h('p', reply)])),
      h('p', { role: 'status' }, seconds.value > 0 ? 'Next question in ' + seconds.value + ' s.' : ''),
    ];
  },
}).mount('#root');
`,
    heading: '## Show it with Vue',
    language: 'js',
  },
} as const;

describe('The package advisory-chat-client', () => {
  const app = perSuite(async () => {
    const { project } = await installedPackage();
    const { path, remove } = await temporaryDirectory();
    await mkdir(join(path, 'assets'));
    await writeFile(join(path, 'index.html'), pageWith('<script type="module" src="/assets/page.js"></script>'));
    await writeFile(join(path, 'assets/page.js'), script);
    await copyFile(join(root, 'client/favicon.svg'), join(path, 'favicon.svg'));
    const assets = join(path, 'assets/advisory-chat-client');
    await cp(join(project, 'node_modules/advisory-chat-client'), assets, { recursive: true });
    const pages = createBuiltPages(path);
    const app = await createTestApp({ pages });
    return { ...app, pages, project, close: () => app.close().then(remove) };
  });

  it("runs on a plain page under the service's Content-Security-Policy: it retries, streams a reply and restores it after a reload", async () => {
    let attempts = 0;
    app.provider.answerWith(() => {
      attempts += 1;
      if (attempts > 1) return defaultReply.answer;
      return { refuse: { status: 529, type: 'overloaded_error', message: 'Scripted.' } };
    });
    const { context, errors, opened } = await open(pages.demo);
    const readState = async () => JSON.parse((await opened.locator('#root:not(:empty)').textContent()) ?? '');
    const turn = { question: 'Where do we start?', reply: defaultReply.text, ending: { type: 'done' } };
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

  /** Opens a page of the service. A page with `scripts` is not subject to the service's Content-Security-Policy. */
  async function open(path: string, scripts?: string, { url }: { url: string } = app) {
    const context = await openContext({ baseURL: url });
    const errors = collectPageErrors(context, url);
    if (scripts !== undefined)
      await context.route(path, (route) => route.fulfill({ contentType: 'text/html', body: pageWith(scripts) }));
    const opened = await context.newPage();
    await opened.goto(path);
    return { context, errors, opened };
  }

  for (const path of Object.keys(examples) as (keyof typeof examples)[]) {
    it(`shows a conversation, its cooldown and a stored draft, in the README example under “${examples[path].heading.slice(3)}”`, async () => {
      await using limited = await createTestApp({ limits: { demo: 1 }, pages: app.pages });
      const { context, errors, opened } = await open(path, await bundleExample(path), limited);
      const field = opened.getByLabel('Message');
      await field.fill('Where do we start?');
      await opened.getByRole('button', { name: 'Send' }).click();
      await opened
        .getByRole('article')
        .filter({ hasText: 'Where do we start?' })
        .getByText(defaultReply.text)
        .waitFor();
      await opened.waitForFunction(() => document.querySelector('textarea')?.value === '');
      await field.fill('And then?');
      await opened.getByRole('button', { name: 'Send' }).click();
      await opened
        .getByRole('status')
        .getByText(/^Next question in 3\d\d\d s\.$/)
        .waitFor();
      await field.fill('Typed later');
      await opened.reload();
      await opened.getByRole('article').filter({ hasText: 'And then?' }).waitFor();
      expect(await field.inputValue()).to.equal('Typed later');
      await context.close();
      expect(errors.filter((error) => !error.includes('429'))).to.deep.equal([]);
    });
  }

  it('stops, queues, continues and tries again in the README example under “Show it with React”', async () => {
    const { context, errors, opened } = await open('/react', await bundleExample('/react'));
    const field = opened.getByLabel('Message');
    const button = (name: string) => opened.getByRole('button', { name, exact: true });
    const articles = opened.getByRole('article');

    const { readable, writable } = new TransformStream<ProviderStep, ProviderStep>();
    app.provider.answerWith({ steps: readable });
    await field.fill('Where do we start?');
    await button('Send').click();
    await writable.getWriter().write({ text: 'Most of the lead time' });
    await articles.getByText('Most of the lead time').waitFor();
    await field.fill('And then?');
    await button('Queue').click();
    await opened.getByRole('listitem').filter({ hasText: 'And then?' }).waitFor();
    await button('Stop').click();

    app.provider.answerWith(defaultReply.answer);
    await button('Continue').click();
    await articles.nth(2).getByText(defaultReply.text).waitFor();
    expect(await articles.getByRole('heading').allTextContents()).to.deep.equal(['Where do we start?', 'And then?']);
    await button('Send').waitFor();

    app.provider.answerWith({ refuse: { status: 400, type: 'invalid_request_error', message: 'Scripted.' } });
    await field.fill('Why?');
    await button('Send').click();
    await opened.getByRole('alert').waitFor();
    app.provider.answerWith(defaultReply.answer);
    await button('Try again').click();
    await articles.nth(3).getByText(defaultReply.text).waitFor();
    expect(await articles.count()).to.equal(4);
    await context.close();
    expect(errors.filter((error) => !/40\d|50\d/.test(error))).to.deep.equal([]);
  });

  it('runs through an import map: the first README example, and the parts of the test kit that need no Node', async () => {
    const at = '/assets/advisory-chat-client';
    const imports = { 'advisory-chat-client': `${at}/main.js`, 'advisory-chat-client/testing': `${at}/testing.js` };
    const example = readme.codeUnder('## Keep a conversation', 'js').replace('http://localhost:3000', '');
    const { context, errors, opened } = await open(
      '/import-map',
      `<script type="importmap">${JSON.stringify({ imports })}</script>
        <script type="module">${example}
        const { createFakeClock, createFakeStorage, retryCases } = await import('advisory-chat-client/testing');
        document.title = [turns.length, retryCases.length > 0, createFakeClock().now() > 0, createFakeStorage().length].join();
        </script>`,
    );
    await opened.waitForFunction(() => document.title !== 'An example');
    expect(await opened.title()).to.equal('2,true,true,0');
    await context.close();
    expect(errors).to.deep.equal([]);
  });

  const bundles: Partial<Record<keyof typeof examples, string>> = {};

  /** Bundles a page's script with the example that it imports, as a bundler of an application does. Returns the script element. */
  async function bundleExample(path: keyof typeof examples): Promise<string> {
    const known = bundles[path];
    if (known !== undefined) return known;
    const { project } = app;
    const { script, heading, language } = examples[path];
    for (const name of ['react', 'react-dom', 'scheduler', 'vue', '@vue']) {
      await symlink(join(root, 'node_modules', name), join(project, 'node_modules', name)).catch(ignoreExisting);
    }
    await writeFile(join(project, `chat.${language}`), readme.codeUnder(heading, language));
    await writeFile(join(project, 'page.js'), script);
    const output = await build({
      configFile: false,
      root: project,
      logLevel: 'error',
      oxc: { jsx: { runtime: 'automatic', development: false } },
      define: { 'process.env.NODE_ENV': '"production"' },
      build: { write: false, lib: { entry: join(project, 'page.js'), formats: ['es'] } },
    });
    const [bundle] = Array.isArray(output) ? output : [output];
    if (bundle === undefined || !('output' in bundle)) throw new Error('Vite built nothing.');
    const code = bundle.output[0].code.replaceAll('</script', '<\\/script');
    bundles[path] = `<script type="module">${code}</script>`;
    return bundles[path];
  }
});

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}
