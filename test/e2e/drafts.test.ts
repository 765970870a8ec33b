import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pages } from '../../shared/interface.ts';
import { conversationOn } from './support/conversation.ts';
import { people } from './support/people.ts';
import { openLiveChat, signInAs } from './support/sign-in.ts';
import { visit } from './support/visit.ts';

describe('what is typed in the browser', () => {
  it('is there after a reload, and after another page', async () => {
    const page = await visit(pages.demo);
    const { composer } = conversationOn(page);
    await composer.fill('Where does this');
    await page.reload();
    expect(await composer.inputValue()).to.equal('Where does this');

    await composer.press('End');
    await composer.pressSequentially(' stand?');
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.goBack();
    expect(await composer.inputValue()).to.equal('Where does this stand?');
  });

  it('is there after a crash of the tab', async () => {
    const page = await visit(pages.demo);
    await conversationOn(page).composer.fill('Where does this stand?');
    await page.waitForFunction(() =>
      Object.values({ ...localStorage })
        .join()
        .includes('Where does this stand?'),
    );
    const next = await page.context().newPage();
    await page.goto('chrome://crash').catch(() => {});
    await next.goto(pages.demo);
    expect(await conversationOn(next).composer.inputValue()).to.equal('Where does this stand?');
  });

  it('is offered for sending after the sign-in that a send had asked for', async () => {
    const page = await visit(pages.signIn);
    await openLiveChat(page, people.onboarded);
    const { ask, begun, composer, questions } = conversationOn(page);
    await composer.waitFor();
    await page.context().clearCookies();
    await ask('What next? (please stall)');
    await page.getByRole('link', { name: 'Sign in again' }).click();
    await signInAs(page, people.onboarded);
    await page.waitForURL(pages.chat);

    await page.getByText('Your message was not sent. It is ready below.').waitFor();
    expect(await composer.inputValue()).to.equal('What next? (please stall)');
    await page.getByRole('button', { name: 'Send it now' }).click();
    await begun();
    expect(await questions.allTextContents()).to.deep.equal(['What next? (please stall)']);
    expect(await composer.inputValue()).to.equal('');
  });
});
