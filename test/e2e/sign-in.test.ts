import { expect } from 'chai';
import { describe, it } from 'mocha';
import { deviceKeys } from '../../client/device/device-storage.ts';
import { messages } from '../../client/language/messages/en.ts';
import { pages, routes } from '../../shared/interface.ts';
import { signInProblems } from '../../shared/session.ts';
import { exampleOnboarding } from '../support/example-onboarding.ts';
import { expectAccessible } from './support/axe.ts';
import { conversationUrl } from './support/conversation-list.ts';
import { people } from './support/people.ts';
import { mockInvitation, mockSession, newPerson } from './support/session.ts';
import {
  fillOnboarding,
  signInAs,
  signInByRequest,
  signOutWithConversations,
  visitDemo,
  visitLiveChat,
} from './support/sign-in.ts';
import { openEmptyPage, storedText, visit } from './support/visit.ts';

describe('Sign-in', () => {
  it('leads from the demo through onboarding to live chat, and sign-out leaves nothing behind', async () => {
    const { page, renderedReply, exchange } = await visitDemo();
    await exchange('Which hypothesis is the strongest?');
    await page.getByRole('link', { name: 'Sign in', exact: true }).click();
    await signInAs(page, people.newPeople[0]);
    await page.waitForURL(pages.onboarding);
    await fillOnboarding(page);
    await page.waitForURL(conversationUrl);

    await exchange('Where do we stand?');
    expect(await renderedReply())
      .to.contain(exampleOnboarding.company.name)
      .and.contain('in week 1 of the engagement');

    await signOutWithConversations(page);
    await page.getByText('You’re signed out.').waitFor();
    await page.getByRole('heading', { name: 'Try an advisory conversation' }).waitFor();
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await storedText(page)).to.equal('[{},{}]');
    expect((await page.request.post(routes.liveChat)).status()).to.equal(401);
  });

  it('carries an invitation to the provider without exposing it in a URL; a signed-in user chooses the account for it', async () => {
    const token = 'a+b/c=&"><b>%';
    const page = await visit(
      `${pages.signIn}?${new URLSearchParams({ returnTo: pages.onboarding, invitation: token })}`,
    );
    const invited = page.getByText('You’ve been invited. Choose how to sign in.');
    const google = page.getByRole('link', { name: 'Continue with Google' });
    await invited.waitFor();
    expect(new URL(page.url()).search).to.equal('?returnTo=%2Fonboarding');
    await page.reload();
    await invited.waitFor();

    const authorizationRequest = page.waitForRequest(/\/auth\/google\?/);
    await google.click();
    const request = await authorizationRequest;
    expect([...new URL(request.url()).searchParams]).to.deep.equal([
      ['returnTo', pages.onboarding],
      ['invitation', token],
      ['prompt', 'select_account'],
    ]);
    expect((await request.allHeaders()).referer).to.match(/\/sign-in\?returnTo=%2Fonboarding$/);
    await page.goBack();
    await invited.waitFor();
    expect(await page.getByRole('link', { name: 'Last used' }).textContent()).to.equal('Continue with GoogleLast used');

    await mockSession(page, { ...newPerson, onboarded: true });
    await mockInvitation(page, null);
    await page.goto(`${pages.signIn}?invitation=another`);
    await page.getByText('You’ve been invited').waitFor();
    await google.waitFor();

    await mockSession(page, newPerson);
    await mockInvitation(page, { id: 'another', name: 'Example Foundry' });
    await page.reload();
    await page.getByRole('heading', { name: 'Join Example Foundry?' }).waitFor();
    const stay = page.getByRole('link', { name: 'Stay in Example Castings' });
    expect(await stay.getAttribute('href'), 'before onboarding').to.equal(pages.onboarding);
    expect(await google.count()).to.equal(0);
    await page.getByRole('button', { name: 'Use a different account' }).click();
    expect(await google.getAttribute('href')).to.match(/&prompt=select_account$/);
  });

  it('says that the invitation has changed or could not be read, and opens the chat of a user who has joined already', async () => {
    const page = await openEmptyPage();
    await mockSession(page, { ...newPerson, name: 'Example, Robin', onboarded: true });
    const to = { id: 'another', name: 'Example Foundry' };
    let status = 500;
    /** A request without organizations reads the invitation; one with them joins. */
    await page.route(routes.join, (route) =>
      route.request().postDataJSON().to === undefined && status !== 500
        ? route.fulfill({ json: { from: newPerson.organization, to } })
        : route.fulfill({ status }),
    );
    await page.goto(`${pages.signIn}?invitation=another`);
    const alert = page.getByRole('alert');
    const join = page.getByRole('button', { name: 'Join Example Foundry' });
    await alert.getByText(messages.join.failed).waitFor();
    status = 503;
    await page.getByRole('button', { name: 'Try again' }).click();
    await join.click();
    await alert.getByText(messages.join.failed).waitFor();
    status = 409;
    await join.click();
    await alert.getByText(messages.join.changed).waitFor();
    expect(await alert.count()).to.equal(1);

    await mockInvitation(page, newPerson.organization);
    await join.click();
    await page.getByRole('heading', { name: 'Welcome, Robin', exact: true }).waitFor();
  });
});

describe('The sign-in page', () => {
  it('drops an invitation that was rejected, and marks the provider that was used last when it comes back from the back/forward cache', async () => {
    const page = await visit(`${pages.signIn}?problem=invitation&invitation=used`);
    expect(await page.getByRole('alert').textContent()).to.equal(signInProblems.invitation);
    const google = page.getByRole('link', { name: 'Continue with Google' });
    expect(await google.getAttribute('href')).not.to.include('invitation');
    expect(await page.getByText('You’ve been invited').count()).to.equal(0);
    const marked = page.getByRole('link', { name: 'Last used' });
    expect(await marked.count()).to.equal(0);
    await page.evaluate((key) => {
      localStorage.setItem(key, 'google');
      window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
    }, deviceKeys.provider);
    expect(await marked.textContent()).to.equal('Continue with GoogleLast used');
  });
});

describe('The client', () => {
  it('redirects a user from the chat to onboarding after a 403 NOT_ONBOARDED', async () => {
    // The tab reads the session before the cookies become those of another user.
    const { page, ask } = await visitLiveChat(people.onboarded);
    await signInByRequest(page, people.neverOnboarded);

    const refused = page.waitForResponse(routes.liveChat);
    await ask('May I?');
    expect((await refused).status()).to.equal(403);
    await page.waitForURL(pages.onboarding);
  });
});

describe('A draft', () => {
  it('survives an expired session, and can be sent after the sign-in', async () => {
    const { page, ask, started, composer, error, questions, stop, askUntilStarted } = await visitLiveChat(
      people.onboarded,
    );
    await askUntilStarted('Where do we stand? (please stall)');
    await stop.click();
    await page.context().clearCookies();
    await ask('What next? (please stall)');

    await page.waitForURL((url) => url.pathname === pages.signIn);
    await error.getByText('You’ve been signed out. Sign in to continue. What you typed is saved.').waitFor();
    await signInAs(page, people.onboarded);
    await page.waitForURL(conversationUrl);

    await expectAccessible(
      page.getByText('Your message wasn’t sent. It’s still in the message field.'),
      'a message that is ready to be sent again',
    );
    expect(await composer.inputValue()).to.equal('What next? (please stall)');
    await page.getByRole('button', { name: 'Send now' }).click();
    await started();
    expect(await questions.allTextContents()).to.deep.equal([
      'Where do we stand? (please stall)',
      'What next? (please stall)',
    ]);
    expect(await composer.inputValue()).to.equal('');
    await page.getByText('Your message wasn’t sent.').waitFor({ state: 'detached' });
  });

  it('stays in the message field, ready to be sent again, if the session cannot be read', async () => {
    const { page, ask, composer } = await visitLiveChat(people.onboarded);
    await page.context().clearCookies();
    await page.route(routes.session, (route) => route.abort());
    await ask('What next?');
    await page.getByText('Your message wasn’t sent. It’s still in the message field.').waitFor();
    expect(new URL(page.url()).pathname).to.match(conversationUrl);
    expect(await composer.inputValue()).to.equal('What next?');
  });
});
