import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pages, routes } from '../../shared/interface.ts';
import { signInProblems } from '../../shared/session.ts';
import { conversationUrl } from './support/conversation-list.ts';
import { people } from './support/people.ts';
import { newPerson, pretendInvitation, pretendSession } from './support/session.ts';
import {
  accountOn,
  fillOnboarding,
  onboarding,
  signInAs,
  signOutWithConversations,
  visitDemo,
  visitLiveChat,
} from './support/sign-in.ts';
import { visit } from './support/visit.ts';

describe('signing in through the browser', () => {
  it('leads over onboarding to live chat, and out again without a trace, with every provider', async () => {
    const [google, ...others] = people.newOnes;
    const { page, ask, finished, questions, replies } = await visitDemo();

    await page.getByRole('link', { name: 'Sign in' }).click();
    await signInAs(page, google);
    await page.waitForURL(pages.onboarding);
    await fillOnboarding(page);
    await page.waitForURL(conversationUrl);

    await ask('Where do we stand?');
    const reply = await finished();
    expect(reply).to.contain(onboarding.company.name).and.contain('in week 1 of the engagement');

    await page.reload();
    await replies.getByRole('listitem').first().waitFor();
    expect(await questions.allTextContents()).to.deep.equal(['Where do we stand?']);
    expect(await replies.allTextContents()).to.deep.equal([reply]);

    await page.goto(pages.demo);
    await ask('Which hypothesis is the strongest?');
    await finished();
    await page.getByRole('link', { name: 'Advisory Chat' }).click();
    await page.waitForURL(conversationUrl);
    await signOutWithConversations(page);
    await page.getByText('You’re signed out.').waitFor();
    await page.getByRole('heading', { name: 'Try an advisory conversation' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Try an advisory conversation' }).waitFor();
    expect(await questions.count()).to.equal(0);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))).to.equal('[{},{}]');
    expect((await page.request.post(routes.liveChat)).status()).to.equal(401);

    await signInAs(page, google);
    await page.waitForURL(conversationUrl);
    await accountOn(page).waitFor();
    expect(await questions.count()).to.equal(0);

    for (const person of others) {
      const { page } = await visitDemo();
      await page.getByRole('link', { name: 'Sign in' }).click();
      await signInAs(page, person);
      await page.waitForURL(pages.onboarding);
      await accountOn(page).waitFor();
    }
  });

  it('says why a sign-in failed, whatever the reason, and forgets the invitation that it came back without', async () => {
    const page = await visit(pages.signIn);
    for (const [problem, sentence] of Object.entries(signInProblems)) {
      await page.goto(`${pages.signIn}?problem=${problem}`);
      expect(await page.getByRole('alert').textContent()).to.equal(sentence);
    }

    await page.goto(`${pages.signIn}?problem=invitation&invitation=used`);
    expect(await page.getByRole('alert').textContent()).to.equal(signInProblems.invitation);
    const google = page.getByRole('link', { name: 'Continue with Google' });
    expect(await google.getAttribute('href')).to.equal(`${routes.signIn}/google?returnTo=%2Fchat`);
    expect(await page.getByText('You have been invited').count()).to.equal(0);
  });

  it('passes an invitation to the provider and shows it in no address; a person who is signed in chooses which account follows it', async () => {
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

    const begun = page.waitForRequest(/\/auth\/google\?/);
    await google.click();
    const request = await begun;
    expect([...new URL(request.url()).searchParams]).to.deep.equal([
      ['returnTo', pages.onboarding],
      ['invitation', token],
    ]);
    expect((await request.allHeaders()).referer).to.match(/\/sign-in\?returnTo=%2Fonboarding$/);
    await page.goBack();
    await invited.waitFor();

    await page.goto(pages.demo);
    await pretendSession(page, { ...newPerson, onboarded: true });
    await pretendInvitation(page, null);
    await page.goto(`${pages.signIn}?invitation=another`);
    await page.getByText('You have been invited').waitFor();
    await google.waitFor();

    await pretendInvitation(page, { id: 'another', name: 'Example Foundry' });
    await page.reload();
    await page.getByRole('heading', { name: 'Join Example Foundry?' }).waitFor();
    expect(await google.count()).to.equal(0);
    await page.getByRole('button', { name: 'Use a different account' }).click();
    await google.waitFor();
  });
});

describe('access to live chat in the browser', () => {
  it('goes from onboarding and sign-in to the chat once a person is onboarded, and to onboarding on 403 NOT_ONBOARDED', async () => {
    const { page, ask, composer } = await visitLiveChat(people.onboarded);
    for (const path of [pages.onboarding, pages.signIn]) {
      await page.goto(path);
      await page.waitForURL(conversationUrl);
    }

    // The tab has read the session before the cookies become those of another person.
    await composer.waitFor();

    // They sign in with another browser: a tab of this one would report it to this tab.
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
