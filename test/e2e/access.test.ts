import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pages, routes } from '../../shared/interface.ts';
import { conversationOn } from './support/conversation.ts';
import { conversationUrl } from './support/conversation-list.ts';
import { people } from './support/people.ts';
import { openLiveChat, signInAs } from './support/sign-in.ts';
import { visit } from './support/visit.ts';

describe('who may use live chat in the browser', () => {
  it('leads a visitor who is not signed in to the sign-in page', async () => {
    const page = await visit(pages.chat);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(new URL(page.url()).pathname).to.equal(pages.signIn);
  });

  it('leads a person who is not onboarded to onboarding', async () => {
    const page = await visit(pages.signIn);
    await signInAs(page, people.neverOnboarded);
    await page.waitForURL(pages.onboarding);
    await page.goto(pages.chat);
    await page.waitForURL(pages.onboarding);
  });

  it('leads a person who is onboarded from onboarding and from the sign-in page to the chat', async () => {
    const page = await visit(pages.signIn);
    await openLiveChat(page, people.onboarded);
    for (const path of [pages.onboarding, pages.signIn]) {
      await page.goto(path);
      await page.waitForURL(conversationUrl);
    }
  });

  it('44: goes to onboarding when live chat answers 403 NOT_ONBOARDED', async () => {
    const page = await visit(pages.signIn);
    await openLiveChat(page, people.onboarded);
    const { ask, composer } = conversationOn(page);
    // This tab knows who is signed in, before that is somebody else.
    await composer.waitFor();

    // No tab of this browser signs them in: that one would tell this one.
    const elsewhere = await visit(pages.signIn);
    await signInAs(elsewhere, people.neverOnboarded);
    await elsewhere.waitForURL(pages.onboarding);
    await page.context().clearCookies();
    await page.context().addCookies(await elsewhere.context().cookies());

    const refused = page.waitForResponse(routes.liveChat);
    await ask('May I?');
    expect((await refused).status()).to.equal(403);
    await page.waitForURL(pages.onboarding);
  });
});
