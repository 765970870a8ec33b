import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Page } from 'playwright-core';
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
