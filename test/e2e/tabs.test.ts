import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Page } from 'playwright-core';
import { deviceKeys } from '../../client/device/device-storage.ts';
import { pages, routes } from '../../shared/interface.ts';
import { record, turn } from '../client/chat/turns.ts';
import { conversationOn } from './support/conversation.ts';
import { listOn } from './support/conversation-list.ts';
import { people } from './support/people.ts';
import { openLiveChat, signOutWithConversations, visitDemo, visitLiveChat } from './support/sign-in.ts';
import { storeConversations, visitWithConversations } from './support/stored-conversations.ts';
import { storedText } from './support/visit.ts';

const where = { title: 'Where do we stand?', turns: [turn('Where do we stand?', 'In week 3.')] };

const busy = 'Waiting for the reply in another tab';

async function openSecondTab(page: Page, path: string): Promise<Page> {
  const tab = await page.context().newPage();
  await tab.goto(path);
  return tab;
}

describe('Two tabs of one user', () => {
  it('stream one reply at a time, and lose no draft', async () => {
    const { page: first, ...firstTab } = await visitLiveChat(people.onboarded);
    let sessionReads = 0;
    first.context().on('request', (request) => {
      if (new URL(request.url()).pathname === routes.session) sessionReads += 1;
    });
    const second = await openSecondTab(first, pages.chat);
    const secondTab = conversationOn(second);
    // A tab that opened after the first question would show its conversation, because it is the latest.
    await secondTab.composer.waitFor();
    await firstTab.askUntilStarted('please stall');

    await secondTab.ask('And then? (please stall)');
    const queue = second.getByRole('status').filter({ hasText: busy });
    await queue.getByText('And then? (please stall)').waitFor();
    expect(await secondTab.composer.inputValue()).to.equal('');
    await secondTab.composer.fill('Typed meanwhile');

    await firstTab.stop.click();
    await queue.waitFor({ state: 'detached' });
    await secondTab.started();
    expect(await secondTab.composer.inputValue()).to.equal('Typed meanwhile');
    expect(await secondTab.questions.allTextContents()).to.deep.equal(['And then? (please stall)']);
    // The tabs must not make each other read the session again in an endless loop.
    expect(sessionReads).to.be.within(1, 10);
  });

  it('both switch to another user after a sign-in as that user in one of them', async () => {
    const { page: first, composer } = await visitLiveChat(people.onboarded);
    await composer.fill('Typed by the first user');
    const other = await first.context().newPage();
    await openLiveChat(other, people.another);
    await first.getByRole('heading', { name: 'This conversation isn’t on this device' }).waitFor();
  });

  it('show the same conversation during and after a reply, the same pins, and what other tabs stored meanwhile', async () => {
    const { page: first, ...firstTab } = await visitWithConversations([where]);
    const second = await openSecondTab(first, first.url());
    const secondTab = conversationOn(second);
    await secondTab.questions.waitFor();
    await secondTab.composer.fill('Typed in the second tab');
    await firstTab.ask('please stall');
    await secondTab.replies.nth(1).filter({ hasText: 'This is the' }).waitFor();
    await second.getByText('This reply is in progress in another tab.').waitFor();
    expect(await secondTab.composer.inputValue()).to.equal('Typed in the second tab');
    expect(await firstTab.composer.inputValue()).to.equal('');

    await firstTab.stop.click();
    await second.getByText('Stopped', { exact: true }).waitFor();
    expect(await secondTab.replies.allTextContents()).to.deep.equal(await firstTab.replies.allTextContents());

    // In Firefox, nothing in a background tab gets the focus that the menu needs.
    await first.bringToFront();
    await listOn(first).choose('Where do we stand?', 'Pin');
    await listOn(second).list.getByRole('heading', { name: 'Pinned' }).waitFor();

    // Nothing announces what is stored here, like a change that a page in the back/forward cache has missed.
    await storeConversations(second, [{ title: 'Stored meanwhile', turns: [turn('And then?')] }]);
    await second.evaluate(() => window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
    await listOn(second).entry('Stored meanwhile').waitFor();

    await firstTab.ask('And now? (please stall)');
    await secondTab.replies.nth(2).filter({ hasText: 'This is the' }).waitFor();
    await first.close({ runBeforeUnload: false });
    await second.getByText('You left the page or signed out during the reply.').waitFor();
    await secondTab.tryAgain.click();
    await secondTab.started();
  });

  it('show what the other tab stored in the demo, even after a return from the back/forward cache, keep the draft, and stream one reply at a time', async () => {
    const { page: first, renderedReply, exchange, askUntilStarted } = await visitDemo();
    const second = await openSecondTab(first, pages.demo);
    const secondTab = conversationOn(second);
    await secondTab.composer.fill('Typed in the second tab');
    await exchange('Where do we stand?');
    const reply = await renderedReply();
    await secondTab.replies.filter({ hasText: reply.slice(0, 40) }).waitFor();
    expect(await secondTab.composer.inputValue()).to.equal('Typed in the second tab');

    await first.getByRole('button', { name: 'New conversation' }).click();
    await secondTab.questions.waitFor({ state: 'detached' });
    expect(await secondTab.composer.inputValue()).to.equal('Typed in the second tab');

    // A tab receives no event for what it stores itself, like one in the cache for what others store.
    await second.evaluate(
      ([key, text]) => {
        localStorage.setItem(key, text);
        window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
      },
      [deviceKeys.demo, JSON.stringify(record(turn('Asked meanwhile?')))] as const,
    );
    await secondTab.questions.getByText('Asked meanwhile?').waitFor();

    await askUntilStarted('please stall');
    await secondTab.ask('And then?');
    await second.getByRole('status').filter({ hasText: busy }).getByText('And then?').waitFor();
    expect(await secondTab.questions.getByText('And then?').count()).to.equal(0);
  });

  it('are both signed out and cleared when the user signs out in one of them', async () => {
    const { page: first } = await visitWithConversations([where]);
    const second = await openSecondTab(first, pages.chat);
    await conversationOn(second).questions.waitFor();
    const demo = await openSecondTab(first, pages.demo);
    await conversationOn(demo).composer.fill('Typed in the demo');
    await signOutWithConversations(first);
    await second.getByRole('heading', { name: 'Sign in' }).waitFor();
    await demo.waitForFunction(() => document.querySelector('textarea')?.value === '');
    expect(new URL(second.url()).searchParams.get('returnTo')).to.equal(pages.chat);
    for (const tab of [first, second, demo]) {
      await tab.waitForFunction(async () => {
        const databases = await indexedDB.databases();
        return databases.every(({ name }) => !name?.includes('live'));
      });
      expect(await storedText(tab)).to.equal('[{},{}]');
    }
  });
});
