import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Page } from 'playwright-core';
import { messages } from '../../client/language/messages/en.ts';
import { formatError } from '../../shared/errors.ts';
import { pages, routes } from '../../shared/interface.ts';
import { expectAccessible } from './support/axe.ts';
import { conversationOn } from './support/conversation.ts';
import { people } from './support/people.ts';
import { signInAs } from './support/sign-in.ts';
import { visit } from './support/visit.ts';

/**
 * Takes a part of the page away from under React, as translating extensions do: drawing fails when it wants to remove
 * that part itself. The error is logged, which is no complaint here.
 */
async function takeAway(page: Page, selector: string): Promise<void> {
  await page.evaluate((removed) => {
    console.error = () => {};
    document.querySelector(removed)?.remove();
  }, selector);
}

describe('trouble in the browser', () => {
  it('a page that cannot be drawn says so calmly, and a reload brings the question back', async () => {
    const page = await visit(pages.demo);
    const { ask, composer, questions } = conversationOn(page);
    await composer.waitFor();
    await takeAway(page, '.welcome');
    await ask('Where does this engagement stand?');
    await page.getByRole('heading', { name: 'Something went wrong on this page' }).waitFor();
    expect(await page.getByRole('alert').textContent()).to.equal('What you typed is kept. Reload the page to go on.');
    await expectAccessible(page, 'a page that cannot be drawn');

    await page.getByRole('button', { name: 'Reload the page' }).click();
    await questions.waitFor();
    expect(await questions.allTextContents()).to.deep.equal(['Where does this engagement stand?']);
  });

  it('a form that cannot be drawn is filled in again after a reload', async () => {
    const page = await visit(pages.signIn);
    await signInAs(page, people.neverOnboarded);
    await page.getByLabel('Company name').fill('Example Castings');
    await page.getByRole('button', { name: 'Start the engagement' }).click();
    await page.getByText('Some fields need another look.').waitFor();
    await takeAway(page, 'form .notice');
    await page.getByLabel('Industry').fill('Metal casting');
    await page.getByLabel('Your role').fill('Head of operations');
    await page.getByRole('button', { name: 'Reload the page' }).click();
    await page.getByLabel('Company name').waitFor();
    expect(await page.getByLabel('Your role').inputValue()).to.equal('Head of operations');
    expect(await page.getByLabel('Company name').inputValue()).to.equal('Example Castings');
  });

  it('says that the person is offline until they are back', async () => {
    const page = await visit(pages.demo);
    const { composer } = conversationOn(page);
    const notice = page.getByText('You are offline. What you type is kept.');
    await composer.fill('Half a thought');
    await page.context().setOffline(true);
    await notice.waitFor();
    await expectAccessible(page, 'a page that is offline');
    const readAgain = page.waitForResponse(routes.session);
    await page.context().setOffline(false);
    await notice.waitFor({ state: 'detached' });
    expect((await readAgain).status()).to.equal(200);
    expect(await composer.inputValue()).to.equal('Half a thought');
  });

  it('says that the service cannot be reached, with a way to try again that leads on', async () => {
    const page = await visit(pages.demo);
    await page.route(routes.session, (route) => route.abort());
    await page.goto(pages.signIn);
    await page.getByRole('heading', { name: 'The service cannot be reached' }).waitFor();
    await page.getByText('The service cannot be reached. What you type is kept.').waitFor();
    await page.unroute(routes.session);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('link', { name: 'Continue with Google' }).waitFor();
    expect(await page.getByText('What you type is kept.').count()).to.equal(0);
  });

  it('says that the service has a problem when it answers with an error', async () => {
    const page = await visit(pages.demo);
    await page.route(routes.session, (route) =>
      route.fulfill({ status: 500, body: 'INTERNAL: Something went wrong.' }),
    );
    await page.goto(pages.chat);
    await page.getByRole('heading', { name: 'The service has a problem' }).waitFor();
    await page.unroute(routes.session);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });
});

const { limit, problem } = messages;

describe('an error in the browser', () => {
  it('says the next step and does it, and offers to try again only where that can help', async () => {
    const page = await visit(pages.demo);
    const { ask, composer, error, questions, tryAgain } = conversationOn(page);
    let answer: { status: number; body?: string } = { status: 413 };
    await page.route(routes.demoChat, (route) => route.fulfill(answer));

    await ask('Far too long?');
    await error.getByText(problem.tooLongNext).waitFor();
    expect(await tryAgain.count()).to.equal(0);
    await page.getByRole('button', { name: problem.edit }).click();
    expect(await composer.inputValue()).to.equal('Far too long?');

    answer = { status: 400, body: formatError('UPSTREAM_BAD_REQUEST') };
    await composer.press('Enter');
    await error.getByText(problem.modelRefusedNext).waitFor();
    expect(await tryAgain.count()).to.equal(0);
    await page.getByRole('button', { name: problem.newConversation }).click();
    await page.getByRole('heading', { name: 'Try an advisory conversation' }).waitFor();

    answer = { status: 400, body: formatError('MISSING_MESSAGES') };
    await ask('Where do we stand?');
    await error.getByText(problem.badRequestNext).waitFor();
    answer = { status: 500, body: formatError('INTERNAL') };
    await ask('And now?');
    await error.getByText(problem.serviceFailedNext).waitFor();
    answer = { status: 200, body: 'In week 3.' };
    await tryAgain.click();
    await page.getByText('In week 3.').waitFor();
    expect(await questions.count()).to.equal(2);
  });

  it('of the demo’s limit is calm: it says when it goes on, offers to sign in first, and outlives a reload', async () => {
    const page = await visit(pages.demo);
    const { ask, composer, error } = conversationOn(page);
    const headers = { 'Retry-After': '3500' };
    await page.route(routes.demoChat, (route) =>
      route.fulfill({ status: 429, headers, body: formatError('RATE_LIMITED', 3500) }),
    );
    const notice = page.locator('.notice').filter({ hasText: limit.demo });
    const send = page.getByRole('button', { name: /^Send at/ });
    await ask('One too many?');
    await notice.getByText(/You can ask again at \d/).waitFor();
    expect(await error.count()).to.equal(0);

    await page.reload();
    await notice.getByText(/You can ask again at \d/).waitFor();
    await composer.fill('And now?');
    await send.waitFor();
    expect(await send.isDisabled()).to.equal(true);
    await page.getByRole('button', { name: 'New conversation' }).click();
    await notice.getByText(/You can ask again at \d/).waitFor();
    await notice.locator('a, button').first().click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });
});
