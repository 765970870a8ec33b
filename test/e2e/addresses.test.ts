import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Page } from 'playwright-core';
import { pages } from '../../shared/interface.ts';
import { conversationOn } from './support/conversation.ts';
import { conversationUrl, listOn } from './support/conversation-list.ts';
import { isFocused } from './support/focus.ts';
import { people } from './support/people.ts';
import { openLiveChat, signInAs } from './support/sign-in.ts';
import { visit } from './support/visit.ts';

const pathOf = (page: Page) => new URL(page.url()).pathname;

describe('the address of a conversation in the browser', () => {
  it('is its own: it can be gone back from, reloaded, kept, and is the title of the page', async () => {
    const page = await visit(pages.signIn);
    await openLiveChat(page, people.onboarded);
    const { ask, composer, finished, questions } = conversationOn(page);
    await page.waitForURL(conversationUrl);
    await composer.waitFor();
    expect(await isFocused(composer)).to.equal(true);
    await ask('Where do we stand?');
    await finished();
    const first = pathOf(page);
    expect(await page.title()).to.equal('Where do we stand? · Advisory Chat');

    await listOn(page).create.click();
    expect(await isFocused(composer)).to.equal(true);
    await ask('Which suppliers matter?');
    await finished();
    const second = pathOf(page);
    expect(second).to.not.equal(first);

    await page.goBack();
    await questions.getByText('Where do we stand?').waitFor();
    expect(pathOf(page)).to.equal(first);
    await page.goForward();
    await questions.getByText('Which suppliers matter?').waitFor();
    await page.reload();
    await questions.getByText('Which suppliers matter?').waitFor();
    expect(pathOf(page)).to.equal(second);

    const otherTab = await page.context().newPage();
    await otherTab.goto(first);
    await conversationOn(otherTab).questions.getByText('Where do we stand?').waitFor();
  });

  it('that this device does not know says so after the sign-in, and makes no conversation', async () => {
    const page = await visit('/c/of-another-device');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await signInAs(page, people.onboarded);
    await page.getByRole('heading', { name: 'This conversation is not on this device' }).waitFor();
    expect(pathOf(page)).to.equal('/c/of-another-device');
    expect(await listOn(page).entries.count()).to.equal(0);

    await page.getByRole('main').getByRole('button', { name: 'New conversation' }).click();
    await conversationOn(page).composer.waitFor();
    expect(pathOf(page)).to.match(conversationUrl).and.not.equal('/c/of-another-device');
  });
});
