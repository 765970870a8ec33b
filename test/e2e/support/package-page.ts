import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import express from 'express';
import { it } from 'mocha';
import type { ProviderStep } from '../../../server/embedded/provider-server.ts';
import { routes } from '../../../shared/interface.ts';
import { installedPackage } from '../../client-package/installed-package.ts';
import { collectGarbage } from '../../support/collect-garbage.ts';
import { eventually } from '../../support/eventually.ts';
import { perSuite } from '../../support/per-suite.ts';
import { temporaryDirectory } from '../../support/served-process.ts';
import { createTestApp } from '../../support/test-app.ts';

const html = `<!doctype html>
<html lang="en">
  <title>A page of another client</title>
  <link rel="icon" href="data:," />
  <script type="importmap">{ "imports": { "advisory-chat-client": "/advisory-chat-client/main.js" } }</script>
  <script type="module">
    import { createConversation } from 'advisory-chat-client';
    window.conversation = createConversation({ url: '${routes.demoChat}' });
  </script>
</html>
`;

declare global {
  interface Window {
    conversation?: {
      send(question: string): Promise<unknown>;
      stop(): void;
      getState(): object;
    };
  }
}

export type EvaluatingPage = {
  goto(url: string): Promise<unknown>;
  evaluate<Result>(run: () => Result): Promise<Awaited<Result>>;
};

/** Runs in a page. Two minutes of silence after the next piece of a reply then pass in two seconds. */
function shortenSilence(): void {
  const { setTimeout } = window;
  const shorter = (run: () => void, delay = 0) => setTimeout(run, delay >= 30_000 ? delay / 60 : delay);
  Object.assign(window, { setTimeout: shorter });
}

async function serve() {
  const { project } = await installedPackage();
  const directory = await temporaryDirectory();
  await writeFile(join(directory.path, 'index.html'), html);
  const target = join(directory.path, 'advisory-chat-client');
  await cp(join(project, 'node_modules/advisory-chat-client'), target, { recursive: true });
  const pages = express.static(directory.path, {
    // Pages are served without the service's Content-Security-Policy, which would forbid their scripts.
    setHeaders: (response) => response.removeHeader('Content-Security-Policy'),
  });
  const app = await createTestApp({ pages });
  return {
    ...app,
    async close() {
      await app.close();
      await directory.remove();
    },
  };
}

export function definePackageTests(open: () => Promise<EvaluatingPage>): void {
  const app = perSuite(() => serve());

  const untilState = (page: EvaluatingPage, words: string) =>
    eventually(async () => {
      const state = await page.evaluate(() => JSON.stringify(window.conversation?.getState()));
      return state.includes(words) || undefined;
    });

  /** Sends a question, whose reply never ends, and collects garbage after the first words of the reply. */
  async function askWithoutEnd() {
    const { readable, writable } = new TransformStream<ProviderStep, ProviderStep>();
    app.provider.answerWith({ steps: readable });
    const request = app.provider.request(app.provider.requests.length + 1);
    const page = await open();
    await page.goto(`${app.url}/index.html`);
    await eventually(async () => (await page.evaluate(() => window.conversation !== undefined)) || undefined);
    await page.evaluate(() => void window.conversation?.send('Where do we stand?'));
    const pieces = writable.getWriter();
    await pieces.write({ text: 'Most of the lead time' });
    await untilState(page, 'Most of the lead time');
    for (let times = 0; times < 5; times += 1) await page.evaluate(collectGarbage);
    return { page, ended: (await request).ended, say: (text: string) => pieces.write({ text }) };
  }

  it('ends the request at the provider when it is stopped', async () => {
    const { page, ended } = await askWithoutEnd();
    await page.evaluate(() => window.conversation?.stop());
    await untilState(page, '"stopped"');
    expect(await ended).to.equal('disconnected');
  });

  it('ends the request at the provider when no byte arrives', async () => {
    const { page, ended, say } = await askWithoutEnd();
    await page.evaluate(shortenSilence);
    await say(' is waiting');
    await untilState(page, '"interrupted"');
    expect(await ended).to.equal('disconnected');
  });
}
