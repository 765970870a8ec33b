import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pages, routes } from '../../shared/interface.ts';
import { expectAccessible } from './support/axe.ts';
import { conversationOn } from './support/conversation.ts';
import { conversationUrl, listOn } from './support/conversation-list.ts';
import { showPage } from './support/hidden-tab.ts';
import { people } from './support/people.ts';
import { signInAs, visitDemo, visitLiveChat } from './support/sign-in.ts';
import { freezeClock } from './support/visit.ts';

describe('what is typed in the browser', () => {
  it('is there after a reload, and after another page', async () => {
    const { page, composer } = await visitDemo();
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

  it('is kept as soon as the page is hidden: on a phone nothing else may happen before the page is gone', async () => {
    const { page, composer } = await visitDemo();
    await freezeClock(page);
    await page.reload();
    await composer.fill('Where does this');
    await showPage(page, false);
    const next = await page.context().newPage();
    await next.goto(pages.demo);
    expect(await conversationOn(next).composer.inputValue()).to.equal('Where does this');
  });

  it('is taken back by Ctrl+Z, which never brings what stood in the field before', async () => {
    const { page, ask, composer, finished } = await visitLiveChat(people.onboarded);
    const type = (words: string) => composer.pressSequentially(words);
    const expectAfterUndo = async (expected: string, times = 10) => {
      await composer.focus();
      for (let presses = 0; presses < times; presses += 1) await page.keyboard.press('Control+z');
      expect(await composer.inputValue()).to.equal(expected);
    };
    await ask('Sent?');
    await finished();
    await type('Draft');
    await expectAfterUndo('Dr', 3);
    await expectAfterUndo('');

    await type('Draft');
    await page.getByRole('button', { name: 'Edit question' }).click();
    await expectAfterUndo('Sent?');
    await composer.press('End');
    await type(' Now?');
    await expectAfterUndo('Sent?');
    await composer.press('Escape');
    await expectAfterUndo('Draft');

    const { create, entry } = listOn(page);
    await create.click();
    await composer.and(page.locator(':focus')).waitFor();
    await expectAfterUndo('');
    await type('Other');
    await entry('Sent?').click();
    await page.getByRole('button', { name: 'Edit question' }).waitFor();
    await expectAfterUndo('Draft');
  });

  it('is kept by a send that meets the end of the session, which leads to the sign-in and offers it for sending after that', async () => {
    const { page, ask, begun, composer, error, questions, stop } = await visitLiveChat(people.onboarded);
    await ask('Where do we stand? (please stall)');
    await begun();
    await stop.click();
    await page.context().clearCookies();
    await ask('What next? (please stall)');

    await page.waitForURL((url) => url.pathname === pages.signIn);
    await error.getByText('You’ve been signed out. Sign in to continue. What you typed is saved.').waitFor();
    await expectAccessible(page, 'the sign-in page after the end of a session');
    await signInAs(page, people.onboarded);
    await page.waitForURL(conversationUrl);

    await page.getByText('Your message wasn’t sent. It’s still in the message field.').waitFor();
    await expectAccessible(page, 'a message that is ready to be sent again');
    expect(await composer.inputValue()).to.equal('What next? (please stall)');
    await page.getByRole('button', { name: 'Send now' }).click();
    await begun();
    expect(await questions.allTextContents()).to.deep.equal([
      'Where do we stand? (please stall)',
      'What next? (please stall)',
    ]);
    expect(await composer.inputValue()).to.equal('');
    await page.getByText('Your message wasn’t sent.').waitFor({ state: 'detached' });
  });

  it('stays on the page where the session cannot be asked for, ready to be sent again', async () => {
    const { page, ask, composer } = await visitLiveChat(people.onboarded);
    await composer.waitFor();
    await page.context().clearCookies();
    await page.route(routes.session, (route) => route.abort());
    await ask('What next?');
    await page.getByText('Your message wasn’t sent. It’s still in the message field.').waitFor();
    expect(new URL(page.url()).pathname).to.match(conversationUrl);
    expect(await composer.inputValue()).to.equal('What next?');
  });
});
