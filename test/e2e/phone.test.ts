import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Page } from 'playwright-core';
import { pages } from '../../shared/interface.ts';
import { conversationOn } from './support/conversation.ts';
import { isFocused } from './support/focus.ts';
import { people } from './support/people.ts';
import { openLiveChat } from './support/sign-in.ts';
import { visit } from './support/visit.ts';

/** Makes a phone of what `page` is shown on: it is narrow, and used with a finger. */
async function onPhone(page: Page): Promise<void> {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('Emulation.setTouchEmulationEnabled', { enabled: true });
  await page.setViewportSize({ width: 390, height: 844 });
}

describe('the client on a phone', () => {
  it('breaks the line by Enter and sends by the button, and the keyboard goes until it is asked for', async () => {
    const page = await visit(pages.demo);
    await onPhone(page);
    const { composer, finished, questions, send } = conversationOn(page);
    expect(await page.locator('meta[name=viewport]').getAttribute('content')).to.equal(
      'width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content',
    );
    await page.getByRole('list', { name: 'Suggested questions' }).getByRole('button').first().click();
    await finished();
    expect(await isFocused(composer)).to.equal(false);

    expect(await composer.getAttribute('enterkeyhint')).to.equal('enter');
    await composer.pressSequentially('First line');
    await composer.press('Enter');
    await page.keyboard.type('Second line');
    await send.click();
    expect(await isFocused(composer)).to.equal(false);
    expect(await questions.last().textContent()).to.equal('First line\nSecond line');
    await finished();
    expect(await isFocused(composer)).to.equal(false);

    await composer.fill('Third question');
    await composer.press('Control+Enter');
    await questions.nth(2).waitFor();
  });

  it('has a new conversation at hand without opening the list', async () => {
    const page = await visit(pages.signIn);
    await openLiveChat(page, people.onboarded);
    const create = page.getByRole('banner').getByRole('button', { name: 'New conversation' });
    await page.getByRole('navigation', { name: 'Conversations' }).waitFor();
    expect(await create.isVisible()).to.equal(false);
    await onPhone(page);
    const { composer, finished, questions, send } = conversationOn(page);
    await composer.fill('Where do we stand?');
    await send.click();
    await finished();
    await create.click();
    await questions.waitFor({ state: 'detached' });
    expect(await isFocused(composer)).to.equal(false);
  });
});
