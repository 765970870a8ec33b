import { describe, it } from 'mocha';
import { formatError } from '../../shared/errors.ts';
import { pages, routes } from '../../shared/interface.ts';
import { expectAccessible } from './support/axe.ts';
import { conversationOn } from './support/conversation.ts';
import { listOn } from './support/conversation-list.ts';
import { needs } from './support/engine.ts';
import { unknownPath } from './support/page-errors.ts';
import { mockInvitation, mockSession, newPerson } from './support/session.ts';
import { signOut, visitDemo } from './support/sign-in.ts';
import { visitNamed } from './support/stored-conversations.ts';
import { visit } from './support/visit.ts';

describe('axe finds no violations on a phone in light and on a desktop in dark,', () => {
  it('in the demo: the empty page, a reply in progress, stopped and failed, and the wait for the rate limit', async function () {
    needs(this, 'media emulation');
    const { page, ask, error, stop, askUntilStarted } = await visitDemo();
    await expectAccessible(page, 'the empty demo');
    await askUntilStarted('Where does this engagement stand? (please stall)');
    await expectAccessible(page, 'a running reply');
    await stop.click();
    await expectAccessible(page, 'a stopped reply');
    await ask('please fail midway');
    await expectAccessible(error, 'a failed reply');
    await page.emulateMedia({ forcedColors: 'active' });
    await expectAccessible(page, 'forced colors');
    await page.emulateMedia({ forcedColors: 'none', contrast: 'more' });
    await expectAccessible(page, 'more contrast');
    await page.emulateMedia({ contrast: 'no-preference' });

    const refusal = { status: 429, headers: { 'Retry-After': '60' }, body: formatError('RATE_LIMITED', 60) };
    await page.route(routes.demoChat, (route) => route.fulfill(refusal));
    await ask('And what next?');
    await expectAccessible(page.getByRole('button', { name: 'Cancel' }), 'the wait before another attempt');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expectAccessible(page.getByText(/^You can send again in/), 'the wait before another message');
  });

  it('in the dialogs of the demo, in an error with a next step, and on the error pages', async function () {
    needs(this, 'media emulation');
    const page = await visit(pages.demo);
    await page.getByRole('button', { name: 'Settings' }).click();
    await expectAccessible(page.getByRole('dialog'), 'the settings');
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await expectAccessible(page.getByRole('combobox'), 'the commands');
    await page.keyboard.press('?');
    await expectAccessible(page.getByRole('dialog', { name: 'Keyboard shortcuts' }), 'the keyboard shortcuts');
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
    await page.route(routes.demoChat, (route) => route.fulfill({ status: 413 }));
    await conversationOn(page).ask('Too long?');
    await expectAccessible(conversationOn(page).error, 'an error with a next step');

    await page.goto(unknownPath);
    await expectAccessible(page.getByRole('heading', { name: 'Page not found' }), 'a page that does not exist');
    await page.route(routes.session, (route) => route.abort());
    await page.goto(pages.chat);
    await page.getByRole('heading', { name: 'Can’t reach the service' }).waitFor();
    await expectAccessible(
      page.getByText('Can’t reach the service. Anything you type is saved.'),
      'a service that cannot be reached',
    );
  });

  it('on the sign-in page with a problem and with an invitation, and in onboarding', async function () {
    needs(this, 'media emulation');
    const page = await visit(`${pages.signIn}?problem=cancelled`);
    await expectAccessible(page.getByRole('alert'), 'a failed sign-in');
    await page.goto(`${pages.signIn}?invitation=example`);
    await expectAccessible(page.getByText('You’ve been invited'), 'an invitation');
    const changeSession = await mockSession(page, newPerson);
    await page.goto(pages.onboarding);
    await expectAccessible(page.getByRole('heading', { name: 'Tell us about the engagement' }), 'onboarding');
    await page.getByRole('button', { name: 'Start the engagement' }).click();
    await expectAccessible(page.getByText('Some fields need attention.'), 'errors at the fields');

    changeSession({ ...newPerson, onboarded: true });
    await mockInvitation(page, { id: 'another', name: 'Example Foundry' });
    await page.goto(`${pages.signIn}?invitation=another`);
    await expectAccessible(page.getByRole('button', { name: 'Join Example Foundry' }), 'the question whether to join');
  });

  it('in live chat: its list, empty and with a reply, in a second tab, and before signing out', async function () {
    needs(this, 'media emulation');
    const { page, ask, exchange, stop } = await visitNamed(['First', 'Second']);
    const { choose, search } = listOn(page);
    await search.fill('yes');
    await expectAccessible(page.getByText('2 conversations found.'), 'search results');
    await search.fill('');
    await choose('Second', 'Rename');
    const nameField = page.getByRole('textbox', { name: 'Conversation name' });
    await expectAccessible(nameField, 'the name of a conversation in the list');
    await nameField.press('Escape');
    await choose('Second', 'Delete');
    await expectAccessible(page.getByRole('button', { name: 'Undo' }), 'a deleted conversation');

    await choose('First', 'Delete');
    await page.getByText('Conversations that you start in this browser appear here.').waitFor();
    await expectAccessible(page, 'the empty live chat');
    await exchange('Where do we stand?');
    await expectAccessible(page, 'an answered question');
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('button', { name: 'Conversations' }).click();
    await expectAccessible(page.getByRole('dialog', { name: 'Conversations' }), 'the list of conversations');
    await page.keyboard.press('Escape');
    await ask('please stall');
    const otherTab = await page.context().newPage();
    await otherTab.goto(pages.chat);
    await otherTab.getByText('This reply is in progress in another tab.').waitFor();
    await conversationOn(otherTab).ask('And what next?');
    await expectAccessible(otherTab.getByText('Waiting for the reply in another tab'), 'a reply in another tab');
    await otherTab.close();
    await stop.click();
    await signOut(page);
    await expectAccessible(page.getByRole('dialog', { name: 'Sign out?' }), 'the question before signing out');
  });
});
