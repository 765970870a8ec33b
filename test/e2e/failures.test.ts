import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Page } from 'playwright-core';
import { messages } from '../../client/language/messages/en.ts';
import { formatAppendedError, formatError } from '../../shared/errors.ts';
import { pages, routes } from '../../shared/interface.ts';
import { turn } from '../client/chat/turns.ts';
import { expectAccessible } from './support/axe.ts';
import { answerWith, conversationOn } from './support/conversation.ts';
import { listOn } from './support/conversation-list.ts';
import { loadMarkdown } from './support/markdown-chunk.ts';
import { mockSession, newPerson } from './support/session.ts';
import { visitDemo } from './support/sign-in.ts';
import { visitDemoWithTurns, visitWithConversations } from './support/stored-conversations.ts';
import { openEmptyPage } from './support/visit.ts';

/**
 * Makes the browser report that it is offline, and fails chat requests. Returns a function that goes back online.
 * Chromium's own offline mode takes effect in the page and in the network at different moments.
 */
async function goOffline(page: Page): Promise<() => Promise<void>> {
  await page.route(routes.demoChat, (route) => route.abort('internetdisconnected'));
  await page.evaluate(() => {
    Object.defineProperty(navigator, 'onLine', { value: false, configurable: true });
    window.dispatchEvent(new Event('offline'));
  });
  return async () => {
    await page.unroute(routes.demoChat);
    await page.evaluate(() => {
      Reflect.deleteProperty(navigator, 'onLine');
      window.dispatchEvent(new Event('online'));
    });
  };
}

describe('When rendering fails', () => {
  /** From now on, no question or reply can be rendered. Returns a function that ends this. The console output is expected. */
  async function breakRendering(page: Page) {
    await page.evaluate(() => {
      console.error = () => {};
      const { createElement } = Document.prototype;
      window.addEventListener('repaired', () => Object.assign(document, { createElement }));
      const createOther = (name: string, options?: ElementCreationOptions) => {
        if (name === 'article') throw new Error('A rendering error.');
        return createElement.call(document, name, options);
      };
      Object.assign(document, { createElement: createOther });
    });
    return () => page.evaluate(() => window.dispatchEvent(new Event('repaired')));
  }

  it('the page shows a message, a reload restores the question, and other pages and conversations can be opened', async () => {
    const { page, ask, composer, questions } = await visitDemo();
    const failureOn = (page: Page) => page.getByRole('heading', { name: 'Something went wrong' });
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.goBack();
    await composer.waitFor();
    await breakRendering(page);
    await ask('Where does this engagement stand?');
    await failureOn(page).waitFor();
    await expectAccessible(
      page.getByRole('alert').getByText('Reload the page to continue. What you typed is saved.'),
      'a page that fails to render',
    );

    await page.getByRole('button', { name: 'Reload the page' }).click();
    await questions.waitFor();
    expect(await questions.allTextContents()).to.deep.equal(['Where does this engagement stand?']);

    await page.getByRole('button', { name: 'New conversation' }).click();
    await questions.waitFor({ state: 'detached' });
    await breakRendering(page);
    await ask('And now?');
    await failureOn(page).waitFor();
    await page.goForward();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();

    const live = await visitWithConversations([{ title: 'Castings', turns: [turn('Which castings?')] }]);
    const { create, entry } = listOn(live.page);
    await create.click();
    await live.questions.waitFor({ state: 'detached' });
    const repair = await breakRendering(live.page);
    await live.ask('And now?');
    await failureOn(live.page).waitFor();
    await repair();
    await entry('Castings').click();
    await live.questions.getByText('Which castings?').waitFor();
  });
});

describe('While offline', () => {
  it('the page shows a notice that covers nothing, and no error for a question that waits for the network', async () => {
    const { page, ask, composer, error } = await visitDemo();
    await loadMarkdown(page);
    await composer.fill('Half a thought');
    const notice = page.getByRole('status').filter({ hasText: 'You’re offline. Anything you type is saved.' });
    const heightOf = () => page.getByRole('banner').evaluate((header) => header.getBoundingClientRect().height);
    for (const size of [
      { width: 1280, height: 800 },
      { width: 320, height: 640 },
    ]) {
      await page.setViewportSize(size);
      const before = await heightOf();
      await page.context().setOffline(true);
      await notice.waitFor();
      expect(await heightOf()).to.equal(before);
      const readAgain = page.waitForResponse(routes.session);
      await page.context().setOffline(false);
      await notice.waitFor({ state: 'detached' });
      expect((await readAgain).status()).to.equal(200);
    }
    expect(await composer.inputValue()).to.equal('Half a thought');
    await page.context().setOffline(true);
    await ask('Where do we stand?');
    await page.getByText(messages.waiting.offlineAdvice).waitFor();
    await expectAccessible(notice, 'a question that waits for the network');
    expect(await error.count()).to.equal(0);
  });
});

describe('The notice of an unreachable service', () => {
  const asked = turn('Where do we stand?', '', { ending: { type: 'interrupted', requestId: '01JD-EXAMPLE' } });

  it('appears in the conversation and the header until the service responds, and sends nothing by itself', async () => {
    const page = await visitDemoWithTurns([asked]);
    const { ask, error, tryAgain } = conversationOn(page);
    const requests = await answerWith(page, 'In week 3.');
    await error.getByText(messages.problem.checkConnection).waitFor();
    await page.context().setOffline(true);
    await page.context().setOffline(false);
    await error.getByRole('status').getByText(messages.problem.backOnline).waitFor();
    expect(await error.getByText(messages.problem.checkConnection).count()).to.equal(0);
    await tryAgain.click();
    await page.getByText('In week 3.').waitFor();
    expect(requests).to.have.length(1);

    for (const route of [routes.demoChat, routes.session]) await page.route(route, (request) => request.abort());
    await ask('And then?');
    await error.getByText(messages.problem.checkConnection).waitFor();
    const sign = page.getByRole('banner').getByText(messages.session.unreachableNow);
    await sign.waitFor();
    await page.unroute(routes.session);
    // The query reads the session again when the tab is shown.
    await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));
    await error.getByRole('status').getByText(messages.problem.reachableAgain).waitFor();
    expect(await error.getByText(messages.problem.checkConnection).count()).to.equal(0);
    expect(await sign.count()).to.equal(0);
  });
});

describe('A question asked offline', () => {
  it('is sent once online, unless it was cancelled', async () => {
    const { page, ask, composer, finished, questions } = await visitDemo();
    await loadMarkdown(page);
    const offlineNotice = page.getByText(messages.waiting.offlineAdvice);
    const goOnline = await goOffline(page);
    await ask('Where do we stand?');
    await offlineNotice.waitFor();
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await offlineNotice.waitFor({ state: 'detached' });
    expect(await composer.inputValue()).to.equal('Where do we stand?');

    await ask('Where do we stand now?');
    await offlineNotice.waitFor();
    await goOnline();
    await finished();
    expect(await questions.allTextContents()).to.deep.equal(['Where do we stand now?']);
  });
});

describe('Without browser storage', () => {
  it('the page does not claim that anything is saved', async () => {
    const page = await openEmptyPage();
    await page.addInitScript(() => {
      for (const name of ['localStorage', 'sessionStorage', 'indexedDB'])
        Object.defineProperty(window, name, {
          get() {
            throw new DOMException('Denied.', 'SecurityError');
          },
        });
      // Firefox also denies these if it blocks all cookies.
      window.BroadcastChannel = class extends EventTarget {
        constructor() {
          super();
          throw new DOMException('Denied.', 'SecurityError');
        }
      } as unknown as typeof BroadcastChannel;
      LockManager.prototype.request = () => Promise.reject(new DOMException('Denied.', 'SecurityError'));
    });
    await page.goto(pages.demo);
    const { ask, error } = conversationOn(page);
    await answerWith(page, `In week 3.${formatAppendedError('UPSTREAM_ERROR')}`);
    await ask('Where do we stand?');
    await error.waitFor();
    await page.context().setOffline(true);
    await page.getByText('You’re offline.').waitFor();
    const claims = page.getByText(/is saved|are saved in this browser/i);
    expect(await claims.count()).to.equal(0);

    await page.context().setOffline(false);
    await mockSession(page, { ...newPerson, onboarded: true });
    await page.goto(pages.chat);
    await page.getByText(messages.conversations.notSaved).waitFor();
    await page.getByText(messages.live.savedByService).waitFor();
    expect(await claims.count()).to.equal(0);
  });
});

describe('When the session cannot be read', () => {
  it('the page says so and offers a retry that works', async () => {
    const page = await openEmptyPage();
    await page.route(routes.session, (route) => route.abort());
    await page.goto(pages.chat);
    await page.getByRole('heading', { name: 'Can’t reach the service' }).waitFor();
    await page.unroute(routes.session);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('link', { name: 'Continue with Google' }).waitFor();
  });
});

const { limit, problem } = messages;

describe('A chat error', () => {
  it('offers the next step, Try again only if a retry can help, and the sentence of the service if it has no code', async () => {
    const { page, ask, composer, error, tryAgain } = await visitDemo();
    const sentence = 'Cross-origin requests are not allowed.';
    const answers = [
      { status: 413 },
      { status: 400, body: formatError('UPSTREAM_BAD_REQUEST') },
      { status: 403, body: `${sentence}\n` },
    ];
    await page.route(routes.demoChat, async (route) => {
      const requestId = (await route.request().headerValue('X-Request-Id')) ?? '';
      const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'X-Request-Id': requestId };
      await route.fulfill({ headers, ...answers.shift() });
    });

    await ask('Far too long?');
    await error.getByText(problem.shorten).waitFor();
    expect(await tryAgain.count()).to.equal(0);
    await page.getByRole('button', { name: problem.edit }).click();
    expect(await composer.inputValue()).to.equal('Far too long?');
    await composer.press('Enter');
    await page.getByRole('button', { name: problem.newConversation }).click();
    await page.getByRole('heading', { name: 'Try an advisory conversation' }).waitFor();
    await ask('Where do we stand?');
    await error.getByText(problem.refused).waitFor();
    await error.getByText(messages.requestId.details).click();
    expect(await error.getByText(sentence).getAttribute('lang')).to.equal('en');
  });

  it("at the demo's limit is a notice with the time until the next question, offers sign-in first, and survives a reload, but not a new conversation", async () => {
    const { page, ask, error, tryAgain } = await visitDemo();
    await page.clock.setSystemTime(new Date(2026, 10, 24, 9, 0));
    const headers = { 'Retry-After': `${24 * 3600}` };
    await page.route(routes.demoChat, (route) =>
      route.fulfill({ status: 429, headers, body: formatError('RATE_LIMITED', 24 * 3600) }),
    );
    const resumesNotice = page.getByText('You can ask again tomorrow at 9:00 AM.');
    await ask('One too many?');
    await resumesNotice.waitFor();
    expect(await error.count()).to.equal(0);

    await page.reload();
    await resumesNotice.waitFor();
    await page.getByRole('button', { name: 'New conversation' }).click();
    await resumesNotice.waitFor({ state: 'detached' });
    await ask('Once more?');
    await resumesNotice.waitFor();
    await page.getByText(limit.demo).waitFor();
    await page.getByRole('link', { name: limit.signIn }).or(tryAgain).first().click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });
});
