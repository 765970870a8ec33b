import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Page } from 'playwright-core';
import { conversationPath, pages, routes } from '../../shared/interface.ts';
import { inARow, turn } from '../client/chat/turns.ts';
import { answerWith, conversationOn } from './support/conversation.ts';
import { needs } from './support/engine.ts';
import { delayMarkdown, markdownChunk } from './support/markdown-chunk.ts';
import { untilRendered, untilShown } from './support/rendering.ts';
import { openWithConversations, openWithTurns } from './support/stored-conversations.ts';
import { breakCode, freezeClock, openEmptyPage, phone, visit } from './support/visit.ts';

const maxBytes = 140_000;
const maxShift = 0.02;

const reply = [
  '## Where we stand',
  ...Array.from({ length: 8 }, (_, index) => `- **Point ${index}** of a list of many`),
  '',
  '| Week | Cost |\n|:--|--:|\n| 1 | 20 |\n| 2 | 30 |',
  '',
  'It falls by\n\n$$\n\\frac{a}{b}\n$$',
].join('\n');

const turns = ['First?', 'Second?', 'Third?'].map((question) => turn(question, reply));

/** From the next load on, records the layout shift of `page`, and whether it has shown unrendered Markdown. */
async function watchPaint(page: Page) {
  await page.addInitScript(() => {
    const paint = { shift: 0, wasRaw: false };
    Object.assign(window, { paint });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if ('value' in entry) paint.shift += Number(entry.value);
    }).observe({ type: 'layout-shift', buffered: true });
    new MutationObserver(() => {
      if (document.querySelector('.plain')) paint.wasRaw = true;
    }).observe(document, { childList: true, subtree: true });
    // The page waits only some seconds for the Markdown chunk. On a slow machine the rest needs longer to load.
    const { setTimeout } = window;
    const longer = (run: () => void, delay = 0) => setTimeout(run, delay >= 1000 ? 60 * delay : delay);
    Object.assign(window, { setTimeout: longer });
  });
  return () =>
    page.evaluate(() => ('paint' in window ? (window.paint as { shift: number; wasRaw: boolean }) : undefined));
}

/** Delays the Markdown chunk until everything else has loaded. Fails if stored conversations are painted twice. */
async function expectPaintedOnce(page: Page, address: string): Promise<void> {
  const readPaint = await watchPaint(page);
  const release = await delayMarkdown(page);
  const chunkRequest = page.waitForRequest(markdownChunk);
  await page.goto(address);
  await chunkRequest;
  await page.waitForLoadState('load');
  await untilRendered(page);
  release();
  await untilShown(conversationOn(page).replies.last().getByRole('table'));
  const painted = await readPaint();
  expect(painted?.wasRaw, address).to.equal(false);
  expect(painted?.shift, address).to.be.at.most(maxShift);
}

/** Returns the measurements that the shell and the page that replaces it must have in common. */
const frameOf = (page: Page) =>
  page.evaluate(() => {
    const { direction, fontSize, backgroundColor: background } = getComputedStyle(document.body);
    const boxOf = (selector: string) => document.querySelector(selector)?.getBoundingClientRect().toJSON();
    return { direction, fontSize, background, header: boxOf('header'), mark: boxOf('.brand-mark') };
  });

describe('Stored conversations are painted once', () => {
  it('in the demo', async () => {
    await expectPaintedOnce(await openWithTurns(turns), pages.demo);
  });

  it('in live chat', async () => {
    const page = await openWithConversations([{ title: 'Kept', turns: inARow(...turns) }]);
    await expectPaintedOnce(page, conversationPath('Kept'));
    await expectPaintedOnce(page, pages.chat);
  });

  it('in the list of conversations, without being moved by its search field', async function () {
    needs(this, 'layout shift entries');

    const page = await openWithConversations([{ title: 'Kept', turns: inARow(...turns) }]);
    const readPaint = await watchPaint(page);
    await page.goto(pages.chat);
    await untilShown(page.getByRole('searchbox'));
    expect((await readPaint())?.shift).to.be.at.most(0.001);
  });

  it('as plain text if the code for Markdown cannot be loaded, and without colors, diagrams and formulas if theirs cannot', async () => {
    const written = 'A **bold** word and \\(x^2\\).\n\n```ts\nconst a = 1;\n```\n\n```mermaid\ngraph TD\n```';
    const page = await openWithTurns([turn('First?', written)]);
    await breakCode(page, markdownChunk);
    await page.goto(pages.demo);
    const { replies } = conversationOn(page);
    await replies.getByText('A **bold** word').waitFor();
    await page.getByText('Replies appear without formatting').waitFor();

    await page.unroute(markdownChunk);
    const others = [/highlighted-code-/, /diagram-view-/, /typeset-formula-/];
    for (const chunk of others) await breakCode(page, chunk);
    const fetched = Promise.all(others.map((chunk) => page.waitForResponse(chunk)));
    await page.getByRole('button', { name: 'Reload the page' }).click();
    await fetched;
    await replies.locator('[data-unfinished]').waitFor({ state: 'detached' });
    await untilRendered(page);
    expect(await replies.locator('strong').textContent()).to.equal('bold');
    expect(await replies.locator('pre').allTextContents()).to.deep.equal(['const a = 1;', 'graph TD']);
    await replies.getByText('\\(x^2\\)', { exact: true }).waitFor();
  });
});

describe('The Markdown chunk', () => {
  it('is requested by the time the first question is sent, and no reply is painted as raw Markdown', async () => {
    const page = await openEmptyPage();
    const release = await delayMarkdown(page);
    const readPaint = await watchPaint(page);
    await page.goto(pages.demo);
    const { composer, replies } = conversationOn(page);
    await composer.waitFor();
    const chunkRequest = page.waitForRequest(markdownChunk);
    await answerWith(
      page,
      chunkRequest.then(() => '**Done.**'),
    );
    // Sends without hovering or focusing, like voice control.
    await composer.evaluate((field) => {
      if (!(field instanceof HTMLTextAreaElement)) return;
      Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')?.set?.call(field, 'Where do we stand?');
      field.dispatchEvent(new Event('input', { bubbles: true }));
      field.form?.requestSubmit();
    });
    await replies.last().waitFor({ state: 'attached' });
    await untilRendered(page);
    release();
    await replies.locator('strong', { hasText: 'Done.' }).waitFor();
    expect((await readPaint())?.wasRaw).to.equal(false);
  });

  it('is loaded when the pointer hovers over a suggested question, before the question is chosen', async () => {
    const page = await visit(pages.demo);
    const fetched = page.waitForResponse(markdownChunk);
    await page.getByRole('list', { name: 'Suggested questions' }).getByRole('button').first().hover();
    const url = (await fetched).url();
    // Waits for the chunk and all its imports; the chunk's own response can arrive before theirs.
    await page.evaluate((address) => import(address), url);
  });
});

describe('The first load of the demo', () => {
  it('needs less than 140 kB of gzipped JavaScript, without the code that renders replies or other pages', async () => {
    const page = await openEmptyPage();
    await freezeClock(page);
    const scripts: string[] = [];
    page.on('request', (request) => {
      if (request.resourceType() === 'script') scripts.push(request.url());
    });
    await page.goto(pages.demo);
    await conversationOn(page).composer.waitFor();
    await page.clock.runFor(1000);
    await page.waitForLoadState('networkidle');
    expect(scripts).to.not.deep.equal([]);
    expect(
      scripts.filter((script) => /markdown|highlighted-code|-page/.test(script)),
      'what shows replies, and other pages',
    ).to.deep.equal([]);
    const sizes = await Promise.all(
      scripts.map(async (script) => gzipSync(await (await page.request.get(script)).body()).length),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).to.be.below(maxBytes);
  });
});

describe('The load of live chat', () => {
  it('requests the session once, and requests the code of the page and of replies before the first script has arrived', async () => {
    const page = await openWithConversations([{ title: 'Kept', turns: inARow(...turns) }]);
    const paths: string[] = [];
    page.on('request', (request) => paths.push(new URL(request.url()).pathname));
    for (const address of [pages.chat, conversationPath('Kept')]) {
      paths.length = 0;
      const requested = [/chat-page-[^/]+\.js$/, markdownChunk].map((chunk) => page.waitForRequest(chunk));
      await page.route(/first-[^/]+\.js$/, async (route) => {
        await Promise.all(requested);
        await route.continue();
      });
      await page.goto(address);
      await conversationOn(page).replies.last().getByRole('table').waitFor();
      expect(
        paths.filter((path) => path === routes.session),
        address,
      ).to.have.length(1);
    }
  });
});

describe('The shell of the page', () => {
  for (const [name, options] of [
    ['a desk', {}],
    ['a phone in Arabic', { ...phone, locale: 'ar-EG' }],
  ] as const) {
    it(`is painted before any other file arrives, and replaced without a layout shift, on ${name}`, async () => {
      const page = await openEmptyPage(undefined, options);
      await page.addInitScript(() => localStorage.setItem('advisory-chat:settings', JSON.stringify({ theme: 'dark' })));
      const readPaint = await watchPaint(page);
      const released = Promise.withResolvers<void>();
      await page.route(/assets/, async (route) => {
        await released.promise;
        await route.continue();
      });
      await page.goto(pages.demo, { waitUntil: 'commit' });
      await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0);
      const shell = await frameOf(page);
      expect(shell).to.deep.include({ background: 'rgb(20, 24, 23)', direction: 'locale' in options ? 'rtl' : 'ltr' });
      released.resolve();
      await page.getByRole('textbox').waitFor();
      expect(await frameOf(page)).to.deep.equal(shell);
      expect((await readPaint())?.shift).to.equal(0);
    });
  }
});

describe('A lazily loaded page', () => {
  it('is available when the user opens it, even offline', async () => {
    const page = await openEmptyPage();
    const fetched = page.waitForResponse(/sign-in-page/);
    await page.goto(pages.demo);
    const url = (await fetched).url();
    // Waits for the chunk and all its imports; the chunk's own response can arrive before theirs.
    await page.evaluate((address) => import(address), url);
    await page.context().setOffline(true);
    await page.getByRole('banner').getByRole('link', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  it('opens even if its style sheet cannot be loaded, and requests the style sheet again', async () => {
    const page = await openEmptyPage();
    const styles = /with-session-[^/]+\.css$/;
    await page.route(styles, (route) => route.abort('connectionrefused'), { times: 1 });
    const retried = page.waitForResponse(styles);
    await page.goto(pages.signIn);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await retried;
    await page.waitForFunction(() =>
      [...document.styleSheets].some(({ href, cssRules }) => href?.includes('with-session') && cssRules.length > 0),
    );
  });

  it('offers a reload if it cannot be loaded, and the link back to the demo works', async () => {
    const page = await openEmptyPage();
    await breakCode(page, /sign-in-page/);
    await page.goto(pages.demo);
    await page.getByRole('banner').getByRole('link', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Reload the page' }).waitFor();
    await page.getByRole('link', { name: 'Advisory Chat' }).click();
    await conversationOn(page).composer.waitFor();
  });
});
