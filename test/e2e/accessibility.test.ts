import { describe, it } from 'mocha';
import { formatError } from '../../shared/errors.ts';
import { pages, routes } from '../../shared/interface.ts';
import { turn } from '../client/chat/turns.ts';
import { expectAccessible } from './support/axe.ts';
import { conversationOn } from './support/conversation.ts';
import { listOn } from './support/conversation-list.ts';
import { needs } from './support/engine.ts';
import { unknownPath } from './support/page-errors.ts';
import { people } from './support/people.ts';
import { joiningPerson, mockInvitation, mockSession, newPerson } from './support/session.ts';
import { signInAs, signOut, visitDemo, visitLiveChat } from './support/sign-in.ts';
import { visitWithConversations } from './support/stored-conversations.ts';
import { visit } from './support/visit.ts';

describe('axe finds no violations on a phone and a desktop, in light and dark,', function () {
  this.timeout(240_000);

  it('in the demo: the empty page, every ending of a reply, and the wait for the rate limit', async function () {
    needs(this, 'media emulation');
    const { page, ask, started, error, finished, stop } = await visitDemo();
    await expectAccessible(page, 'the empty demo');
    await ask('Where does this engagement stand? (please stall)');
    await started();
    await expectAccessible(page, 'a running reply');
    await stop.click();
    await expectAccessible(page, 'a stopped reply');
    await ask('And what next?');
    await finished();
    await expectAccessible(page, 'a finished reply');

    await ask('please fail midway');
    await error.waitFor();
    await expectAccessible(page, 'a failed reply');
    await page.emulateMedia({ forcedColors: 'active' });
    await expectAccessible(page, 'forced colors');
    await page.emulateMedia({ forcedColors: 'none', contrast: 'more' });
    await expectAccessible(page, 'more contrast');
    await page.emulateMedia({ contrast: 'no-preference' });

    const refusal = { status: 429, headers: { 'Retry-After': '60' }, body: formatError('RATE_LIMITED', 60) };
    await page.route(routes.demoChat, (route) => route.fulfill(refusal));
    await ask('And what next?');
    await page.getByRole('button', { name: 'Cancel' }).waitFor();
    await expectAccessible(page, 'the wait before another attempt');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText(/^You can send again in/).waitFor();
    await expectAccessible(page, 'the wait before another message');
  });

  it('in the dialogs of the demo, in an error with a next step, and on the error pages', async function () {
    needs(this, 'media emulation');
    const page = await visit(pages.demo);
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('dialog').waitFor();
    await expectAccessible(page, 'the settings');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').waitFor();
    await expectAccessible(page, 'the commands');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await expectAccessible(page, 'the keyboard shortcuts');
    await page.keyboard.press('Escape');
    const brokenCode = { contentType: 'text/javascript', body: 'throw new Error()' };
    await page.route(/settings-dialog-[^/]+\.js$/, (route) => route.fulfill(brokenCode));
    await page.reload();
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('dialog', { name: /couldn’t be loaded/ }).waitFor();
    await expectAccessible(page, 'a dialog that could not be loaded');
    await page.keyboard.press('Escape');
    await page.route(routes.demoChat, (route) => route.fulfill({ status: 413 }));
    await conversationOn(page).ask('Too long?');
    await conversationOn(page).error.waitFor();
    await expectAccessible(page, 'an error with a next step');

    await page.goto(unknownPath);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    await expectAccessible(page, 'a page that does not exist');
    await page.route(routes.session, (route) => route.abort());
    await page.goto(pages.chat);
    await page.getByRole('heading', { name: 'Can’t reach the service' }).waitFor();
    await page.getByText('Can’t reach the service. Anything you type is saved.').waitFor();
    await expectAccessible(page, 'a service that cannot be reached');
  });

  it('on the sign-in page and in onboarding, with and without a problem or an invitation', async function () {
    needs(this, 'media emulation');
    const page = await visit(`${pages.signIn}?problem=cancelled`);
    await page.getByRole('alert').waitFor();
    await expectAccessible(page, 'a failed sign-in');
    await page.goto(`${pages.signIn}?invitation=example`);
    await page.getByText('You’ve been invited').waitFor();
    await expectAccessible(page, 'an invitation');

    await page.goto(pages.demo);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByRole('link', { name: 'Continue with Google' }).waitFor();
    await expectAccessible(page, 'the sign-in page');
    await signInAs(page, people.neverOnboarded);
    await page.getByRole('heading', { name: 'Tell us about the engagement' }).waitFor();
    await expectAccessible(page, 'onboarding');
    await page.getByRole('button', { name: 'Start the engagement' }).click();
    await page.getByText('Some fields need attention.').waitFor();
    await expectAccessible(page, 'errors at the fields');

    await mockSession(page, joiningPerson);
    await page.reload();
    await page.getByText('You’re joining').waitFor();
    await expectAccessible(page, 'onboarding into an organization that has members');
    await mockSession(page, { ...newPerson, onboarded: true });
    await mockInvitation(page, { id: 'another', name: 'Example Foundry' });
    await page.goto(`${pages.signIn}?invitation=another`);
    await page.getByRole('button', { name: 'Join Example Foundry' }).waitFor();
    await expectAccessible(page, 'the question whether to join');
  });

  it('in live chat: empty, with a reply, with an edited question, and in a second tab', async function () {
    needs(this, 'media emulation');
    const { page, ask, composer, finished } = await visitLiveChat(people.onboarded);
    await composer.waitFor();
    await expectAccessible(page, 'the empty live chat');
    await ask('Where do we stand?');
    await finished();
    await expectAccessible(page, 'an answered question');
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('button', { name: 'Conversations' }).click();
    await page.getByRole('dialog', { name: 'Conversations' }).waitFor();
    await expectAccessible(page, 'the list of conversations');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Edit question' }).click();
    await page.getByText('You’re editing a question.').waitFor();
    await expectAccessible(page, 'the edit of a question');
    await page.keyboard.press('Escape');
    await ask('please stall');
    const otherTab = await page.context().newPage();
    await otherTab.goto(pages.chat);
    await otherTab.getByText('This reply is in progress in another tab.').waitFor();
    await conversationOn(otherTab).ask('And what next?');
    await otherTab.getByText('Waiting for the reply in another tab').waitFor();
    await expectAccessible(otherTab, 'a reply in another tab');
  });

  it('on search results, while a conversation is renamed, after one is deleted, and before signing out', async function () {
    needs(this, 'media emulation');
    const { page } = await visitWithConversations(
      ['First', 'Second'].map((title) => ({ title, turns: [turn(`${title}?`, 'Short.')] })),
    );
    await listOn(page).search.fill('short');
    await page.getByText('2 conversations found.').waitFor();
    await expectAccessible(page, 'search results');
    await listOn(page).search.fill('');
    await listOn(page).choose('Second', 'Rename');
    const nameField = page.getByRole('textbox', { name: 'Conversation name' });
    await nameField.waitFor();
    await expectAccessible(page, 'the name of a conversation in the list');
    await nameField.press('Escape');
    await page.getByRole('button', { name: 'Rename “First”' }).click();
    await nameField.waitFor();
    await expectAccessible(page, 'the name of a conversation in the header');
    await nameField.press('Escape');
    await listOn(page).choose('Second', 'Delete');
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await expectAccessible(page, 'a deleted conversation');
    await signOut(page);
    await page.getByRole('dialog', { name: 'Sign out?' }).waitFor();
    await expectAccessible(page, 'the question before signing out');
  });
});
