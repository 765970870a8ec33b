import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Page } from 'playwright-core';
import { pages, routes } from '../../shared/interface.ts';
import { conversationOn } from './support/conversation.ts';
import { people } from './support/people.ts';
import { accountOn, signOutWithConversations, visitDemo, visitLiveChat } from './support/sign-in.ts';

const busy = 'A reply is in progress in another tab. Your question will be sent when it finishes.';

async function openSecondTab(page: Page, path: string): Promise<Page> {
  const tab = await page.context().newPage();
  await tab.goto(path);
  return tab;
}

describe('two tabs of one person', () => {
  it('write one reply at a time, and lose nothing that is typed', async () => {
    const { page: first, ...here } = await visitLiveChat(people.onboarded);
    let sessionReads = 0;
    first.context().on('request', (request) => {
      if (new URL(request.url()).pathname === routes.session) sessionReads += 1;
    });
    const second = await openSecondTab(first, pages.chat);
    const there = conversationOn(second);
    // A tab that opens later shows the latest conversation, which is the first one's.
    await there.composer.waitFor();
    await here.ask('please be slow');
    await here.begun();

    await there.ask('And then? (please stall)');
    await there.error.getByText(busy).waitFor();
    expect(await there.composer.inputValue()).to.equal('');
    await there.composer.fill('Typed meanwhile');

    await here.stop.click();
    await there.error.waitFor({ state: 'detached' });
    await there.begun();
    expect(await there.composer.inputValue()).to.equal('Typed meanwhile');
    expect(await there.questions.allTextContents()).to.deep.equal(['And then? (please stall)']);
    // Neither makes the other read again who is signed in, and so on without end.
    expect(sessionReads).to.be.within(1, 10);
  });

  it('show the person whom another tab has signed in, before anything is asked in their name', async () => {
    const { page: first } = await visitLiveChat(people.onboarded);
    await accountOn(first).waitFor();
    const { provider, who } = people.neverOnboarded;
    const second = await openSecondTab(first, `${routes.signIn}/${provider}`);
    await second.getByRole('button', { name: who }).click();
    await first.waitForURL(`**${pages.onboarding}`);
  });

  it('show the same conversation while one of them writes it', async () => {
    const { page: first, ...here } = await visitLiveChat(people.onboarded);
    await here.ask('Where do we stand?');
    await here.finished();
    const second = await openSecondTab(first, first.url());
    const there = conversationOn(second);
    await there.questions.waitFor();
    await there.composer.fill('Typed there');
    await here.ask('please be slow');
    await there.replies.nth(1).filter({ hasText: 'This is the' }).waitFor();
    await second.getByText('This reply is in progress in another tab.').waitFor();
    expect(await there.composer.inputValue()).to.equal('Typed there');
    expect(await here.composer.inputValue()).to.equal('');

    await here.stop.click();
    await second.getByText('You stopped the reply.').waitFor();
    expect(await there.replies.allTextContents()).to.deep.equal(await here.replies.allTextContents());
  });

  it('know of a turn whose tab was closed that it was interrupted', async () => {
    const { page: first, ask, finished } = await visitLiveChat(people.onboarded);
    await ask('Where do we stand?');
    await finished();
    const second = await openSecondTab(first, first.url());
    const { begun, questions, replies, tryAgain } = conversationOn(second);
    await questions.waitFor();
    await ask('please be slow');
    await replies.nth(1).filter({ hasText: 'This is the' }).waitFor();
    await first.close({ runBeforeUnload: false });
    await second.getByText('The page was closed or reloaded before the reply was complete.').waitFor();
    await tryAgain.click();
    await begun();
  });

  it('of the demo read its conversation again when the other one has kept it, and keep what is typed', async () => {
    const { page: first, ask, finished } = await visitDemo();
    const second = await openSecondTab(first, pages.demo);
    const there = conversationOn(second);
    await there.composer.fill('Typed there');
    await ask('Where do we stand?');
    const reply = await finished();
    await there.replies.filter({ hasText: reply.slice(0, 40) }).waitFor();
    expect(await there.composer.inputValue()).to.equal('Typed there');

    await first.getByRole('button', { name: 'New conversation' }).click();
    await there.questions.waitFor({ state: 'detached' });
    expect(await there.composer.inputValue()).to.equal('Typed there');
  });

  it('are both signed out, and empty', async () => {
    const { page: first, ask, finished } = await visitLiveChat(people.onboarded);
    await ask('Where do we stand?');
    await finished();
    const second = await openSecondTab(first, pages.chat);
    await conversationOn(second).questions.waitFor();
    const demo = await openSecondTab(first, pages.demo);
    await conversationOn(demo).composer.fill('Typed in the demo');
    await signOutWithConversations(first);
    await second.getByRole('heading', { name: 'Sign in' }).waitFor();
    await demo.waitForFunction(() => document.querySelector('textarea')?.value === '');
    for (const tab of [first, second, demo]) {
      await tab.waitForFunction(async () => {
        const databases = await indexedDB.databases();
        return databases.every(({ name }) => !name?.includes('live'));
      });
      expect(await tab.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))).to.equal(
        '[{},{}]',
      );
    }
  });
});
