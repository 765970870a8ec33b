import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { conversationPath, diagramPage, pages, routes, serviceWorker } from '../../shared/interface.ts';
import { signInProblems } from '../../shared/session.ts';
import { turn } from '../client/chat/turns.ts';
import { eventually } from '../support/eventually.ts';
import { conversationOn } from './support/conversation.ts';
import { conversationUrl, listOn } from './support/conversation-list.ts';
import { needs } from './support/engine.ts';
import { unknownPath } from './support/page-errors.ts';
import { people } from './support/people.ts';
import { type Product, sharedProduct } from './support/product.ts';
import { accountOn, openLiveChat, prepareUser, signInAs, signOutWithConversations } from './support/sign-in.ts';
import { storeConversations } from './support/stored-conversations.ts';
import { openEmptyPage, visit } from './support/visit.ts';

const conversations = [
  { title: 'Lead times', turns: [turn('Why do castings wait?', 'Because **moulds** are few.')] },
  { title: 'Scrap', turns: [turn('What does scrap cost?', 'About a tenth of the revenue.')] },
];

describe('Live chat while offline', () => {
  it('opens, shows and searches all conversations, and sends once the network is available', async () => {
    const page = await openEmptyPage(undefined, { serviceWorkers: 'allow' });
    const context = page.context();
    const { ask, finished, questions, replies } = conversationOn(page);
    const { entry, search } = listOn(page);
    await openLiveChat(page, people.onboarded);
    await conversationOn(page).composer.waitFor();
    await storeConversations(page, conversations);
    await page.evaluate(() => navigator.serviceWorker.ready);

    await context.setOffline(true);
    await page.goto(pages.chat);
    await page.getByText('You’re offline.').waitFor();
    await entry('Scrap').click();
    await questions.getByText('What does scrap cost?').waitFor();
    await search.fill('moulds');
    await entry('Lead times').click();
    await replies.locator('strong').getByText('moulds', { exact: true }).waitFor();
    await search.fill('');

    await ask('And now?');
    await page.getByText('Keep this page open to send your question later.').waitFor();
    await context.setOffline(false);
    // Firefox does not fire the event if the page was loaded while its network was emulated as offline.
    await page.evaluate(() => window.dispatchEvent(new Event('online')));
    await finished();

    await signOutWithConversations(page);
    await page.getByText('You’re signed out').waitFor();
    await context.setOffline(true);
    await page.goto(pages.chat);
    await page.getByRole('heading', { name: 'Can’t reach the service' }).waitFor();
    expect(await questions.count()).to.equal(0);
  });
});

describe('The web app manifest', () => {
  it('starts at live chat, and has a plain and a maskable icon of each stated size', async () => {
    const { request } = await openEmptyPage();
    const html = await (await request.get(pages.demo)).text();
    const linked = (rel: string) => html.match(new RegExp(`<link rel="${rel}" href="([^"]+)"`))?.[1] ?? '';
    const { display, start_url, icons } = await (await request.get(linked('manifest'))).json();
    expect({ display, start_url }).to.deep.equal({ display: 'standalone', start_url: pages.chat });
    expect(icons.map(({ sizes, purpose = 'any' }: Record<string, string>) => [sizes, purpose])).to.have.deep.members([
      ['192x192', 'any'],
      ['512x512', 'any'],
      ['512x512', 'maskable'],
    ]);
    for (const { src, sizes } of [...icons, { src: linked('apple-touch-icon'), sizes: '180x180' }]) {
      const png = await (await request.get(src)).body();
      expect(`${png.readUInt32BE(16)}x${png.readUInt32BE(20)}`, src).to.equal(sizes);
    }
  });
});

describe('The service worker', () => {
  it("is served compressed, caches no API response, and waits until no page needs its predecessor's files", async () => {
    // The page's policy would allow a test to register only the worker's own address.
    const page = await visit(pages.demo, undefined, { serviceWorkers: 'allow', bypassCSP: true });
    expect((await page.request.get(serviceWorker.path)).headers()).to.include({ 'content-encoding': 'br' });
    await page.evaluate(() => navigator.serviceWorker.ready);
    await page.reload();
    await conversationOn(page).exchange('Where do we start?');
    const stored = await page.evaluate(async () => {
      const caches = await Promise.all((await window.caches.keys()).map((name) => window.caches.open(name)));
      const requests = await Promise.all(caches.map((cache) => cache.keys()));
      return requests.flat().map(({ url }) => new URL(url).pathname);
    });
    expect(stored).to.include('/index.html');
    // The files that draw diagrams are not cached, because they are larger than all others together.
    expect(stored.filter((path) => path.startsWith(diagramPage.filesPath))).to.deep.equal([]);
    expect(
      stored.filter((path) => !['/index.html', '/manifest.webmanifest'].includes(path) && !path.startsWith('/assets/')),
    ).to.deep.equal([]);

    const workers = await page.evaluate(async (path) => {
      const nameOf = (worker: ServiceWorker | null) => worker && new URL(worker.scriptURL).search;
      // Registrations are processed in order: the second worker has been installed once the third one is.
      for (const release of ['second', 'third']) {
        const { installing, waiting } = await navigator.serviceWorker.register(`${path}?${release}`);
        const worker = installing ?? waiting;
        while (worker?.state === 'installing') {
          await new Promise((resolve) => worker.addEventListener('statechange', resolve, { once: true }));
        }
      }
      const { active, waiting } = await navigator.serviceWorker.ready;
      return { active: nameOf(active), waiting: nameOf(waiting) };
    }, serviceWorker.path);
    expect(workers).to.deep.equal({ active: '', waiting: '?third' });
  });

  /** Records the paths of the navigations that reach `product`, which runs in this process. */
  function recordNavigations({ url }: Product) {
    const { host } = new URL(url);
    const paths: string[] = [];
    const record = (message: unknown) => {
      const { request } = message as { request: IncomingMessage };
      // Firefox does not send the mode `navigate` with a request that the service worker forwards.
      const isNavigation = request.headers.accept?.startsWith('text/html');
      if (isNavigation && request.headers.host === host) paths.push(new URL(request.url ?? '', url).pathname);
    };
    subscribe('http.server.request.start', record);
    return { paths, [Symbol.dispose]: () => unsubscribe('http.server.request.start', record) };
  }

  it('sends each navigation of a sign-in to the server once, and serves other pages without the network', async function () {
    needs(this, 'DevTools');

    const page = await visit(pages.signIn, undefined, { serviceWorkers: 'allow' });
    await page.evaluate(() => navigator.serviceWorker.ready);
    await page.reload();
    expect(await page.evaluate(() => navigator.serviceWorker.controller !== null)).to.equal(true);
    await prepareUser(page, people.onboarded);
    const context = page.context();
    await context.clearCookies();
    const conversation = conversationPath('of-another-device');
    const signIn = `${routes.signIn}/${people.onboarded.provider}`;

    using navigations = recordNavigations(await sharedProduct());
    await page.goto(`${signIn}/callback?error=access_denied`);
    const problem = page.getByRole('alert');
    await problem.waitFor();
    expect(await problem.textContent()).to.equal(signInProblems.cancelled);
    await page.goto(unknownPath);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    await page.goto(`${pages.signIn}?returnTo=${conversation}`);
    await signInAs(page, people.onboarded);
    await page.waitForURL(conversation);
    await accountOn(page).waitFor();
    await page.goto(pages.onboarding);
    await page.waitForURL(conversationUrl);
    expect(navigations.paths).to.deep.equal([
      `${signIn}/callback`,
      pages.signIn,
      unknownPath,
      pages.signIn,
      signIn,
      `${signIn}/callback`,
      conversation,
      pages.onboarding,
    ]);

    const devTools = await context.newCDPSession(page);
    await devTools.send('Network.enable');
    await devTools.send('Network.setCacheDisabled', { cacheDisabled: true });
    await context.setOffline(true);
    await page.goto(pages.demo);
    await conversationOn(page).composer.waitFor();
    // A style sheet that is loading or could not be loaded has no rules.
    await eventually(async () => {
      const ruleCounts = await page
        .locator('link[rel=stylesheet]')
        .evaluateAll((links) => links.map((link) => (link as HTMLLinkElement).sheet?.cssRules.length ?? 0));
      return ruleCounts.length > 0 && !ruleCounts.includes(0) ? true : undefined;
    });
    for (const path of [signIn, `${signIn}/callback?code=code`, pages.onboarding]) {
      expect(await page.goto(path).then(() => 'a page', String), path).to.include('ERR_INTERNET_DISCONNECTED');
    }
  });
});
