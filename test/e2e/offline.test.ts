import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pages } from '../../shared/interface.ts';
import { turn } from '../client/chat/turns.ts';
import { conversationOn } from './support/conversation.ts';
import { listOn } from './support/conversation-list.ts';
import { people } from './support/people.ts';
import { openLiveChat, signOutWithConversations } from './support/sign-in.ts';
import { storeConversations } from './support/stored-conversations.ts';
import { visit } from './support/visit.ts';

const conversations = [
  { title: 'Lead times', turns: [turn('Why do castings wait?', 'Because **moulds** are few.')] },
  { title: 'Scrap', turns: [turn('What does scrap cost?', 'About a tenth of the revenue.')] },
];

describe('Live chat while offline', () => {
  it('opens, shows and searches all conversations, and sends once the network is available', async () => {
    const page = await visit(pages.signIn, undefined, { serviceWorkers: 'allow' });
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
    expect(await replies.locator('strong').allTextContents()).to.deep.equal(['moulds']);
    await search.fill('');

    await ask('And now?');
    await page.getByText('Keep this page open, and your question will be sent when you’re back online.').waitFor();
    await context.setOffline(false);
    await finished();

    await signOutWithConversations(page);
    await page.getByText('You’re signed out').waitFor();
    await context.setOffline(true);
    await page.goto(pages.chat);
    await page.getByRole('heading', { name: 'Can’t reach the service' }).waitFor();
    expect(await questions.count()).to.equal(0);
  });
});

describe('The service worker', () => {
  it('caches only the page and public files, never an API response', async () => {
    const page = await visit(pages.demo, undefined, { serviceWorkers: 'allow' });
    await page.evaluate(() => navigator.serviceWorker.ready);
    await page.reload();
    await conversationOn(page).ask('Where do we start?');
    await conversationOn(page).finished();
    const stored = await page.evaluate(async () => {
      const caches = await Promise.all((await window.caches.keys()).map((name) => window.caches.open(name)));
      const requests = await Promise.all(caches.map((cache) => cache.keys()));
      return requests.flat().map(({ url }) => new URL(url).pathname);
    });
    expect(stored).to.include('/index.html');
    expect(
      stored.filter((path) => !['/index.html', '/manifest.webmanifest'].includes(path) && !path.startsWith('/assets/')),
    ).to.deep.equal([]);
  });
});
