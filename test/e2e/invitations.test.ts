import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Page } from 'playwright-core';
import { tokenHash } from '../../server/database/serving/users.ts';
import { pages, routes } from '../../shared/interface.ts';
import { signInProblems } from '../../shared/session.ts';
import { perSuite } from '../support/per-suite.ts';
import { conversationUrl } from './support/conversation-list.ts';
import { people } from './support/people.ts';
import { type Product, startProduct } from './support/product.ts';
import { accountOn, fillOnboarding, openLiveChat, signInAs, signOut } from './support/sign-in.ts';
import { visit } from './support/visit.ts';

const [first, second] = people.newPeople;

const invitedTo = (token: string) => `${pages.signIn}?${new URLSearchParams({ invitation: token })}`;

/** Returns the SQL that stores an invitation with `token`, into the organization of that name if it is given. */
const invitation = (token: string, organization = '') =>
  `insert into invitations (id, token_hash, joins, expires_at)
   values ('${token}', '${tokenHash(token)}', (select id from organizations where name = '${organization}'), now() + interval '1 day')`;

/** Runs SQL while `product` is stopped. Its sessions survive the restart. */
async function stored(product: Product, ...statements: string[]): Promise<void> {
  await product.stop();
  await product.execute(...statements);
  await product.restart();
}

describe('An invitation', () => {
  const product = perSuite(() => startProduct({ SIGN_UP: 'invited' }));

  it('admits its recipient once, and a second invitation leads into the same organization', async () => {
    const page = await visit(pages.signIn, product);
    await signInAs(page, first);
    await expectProblem(page, signInProblems.uninvited);

    await stored(product, invitation('a+b/c'));
    await page.goto(invitedTo('a+b/c'));
    await signInAs(page, first);
    await page.waitForURL(pages.onboarding);
    await fillOnboarding(page);
    await page.waitForURL(conversationUrl);
    await signOut(page);
    await page.waitForURL(pages.demo);

    await page.goto(invitedTo('a+b/c'));
    await signInAs(page, second);
    await expectProblem(page, signInProblems.invitation);

    await stored(product, invitation('d', 'Example Castings'));
    await page.goto(invitedTo('d'));
    await signInAs(page, second);
    await page.getByText('You’re joining Example Castings.').waitFor();
    expect(await page.getByLabel(/company|industry/i).count()).to.equal(0);
    await page.getByRole('button', { name: 'Start the engagement' }).click();
    await page.getByText('Your role is required.').first().waitFor();
    await page.getByLabel('Your role').fill('Adviser');
    await page.getByRole('button', { name: 'Start the engagement' }).click();
    await page.waitForURL(conversationUrl);
    await page.getByRole('button', { name: 'at Example Castings' }).waitFor();
    await expectOrganization(page, 'Example Castings');
  });
});

describe('An invitation for an existing account', () => {
  const product = perSuite(() => startProduct());

  it('requires confirmation, even after a forged navigation; the user then stays or joins', async () => {
    const elsewhere = await visit(pages.signIn, product);
    await signInAs(elsewhere, second);
    await elsewhere.waitForURL(pages.onboarding);
    const page = await visit(pages.demo, product);
    await openLiveChat(page, first);
    await accountOn(page).waitFor();
    await stored(
      product,
      `update organizations set name = 'Evil Corp' where name <> 'Example Castings'`,
      `update organizations set name = 'Victim AG' where name = 'Example Castings'`,
      invitation('a+b/c', 'Evil Corp'),
      invitation('d', 'Evil Corp'),
      invitation('e', 'Victim AG'),
    );
    // A user who is not onboarded yet.
    await elsewhere.goto(invitedTo('e'));
    await elsewhere.getByRole('heading', { name: 'Join Victim AG?' }).waitFor();
    await elsewhere.getByRole('link', { name: 'Stay in Evil Corp' }).click();
    await elsewhere.waitForURL(pages.onboarding);

    const forge = async (token: string, on = page) => {
      await on.goto(`${routes.signIn}/google?${new URLSearchParams({ invitation: token })}`);
      await on.getByRole('button', { name: first.who }).click();
      await on.getByRole('heading', { name: 'Join Evil Corp?' }).waitFor();
    };
    await forge('a+b/c');
    await page.getByText('You’re a member of Victim AG. If you join Evil Corp, you’ll leave Victim AG.').waitFor();
    expect(new URL(page.url()).search).to.equal('?returnTo=%2Fchat');
    await expectOrganization(page, 'Victim AG');
    await page.getByRole('link', { name: 'Stay in Victim AG' }).click();
    await page.waitForURL(conversationUrl);
    await expectOrganization(page, 'Victim AG');

    // The invitation is withdrawn between the question and the answer.
    await forge('d');
    await stored(product, "delete from invitations where id = 'd'");
    await page.getByRole('button', { name: 'Join Evil Corp' }).click();
    await expectProblem(page, signInProblems.invitation);
    await page.getByRole('link', { name: 'Stay in Victim AG' }).click();
    await page.waitForURL(conversationUrl);

    const tab = await page.context().newPage();
    await forge('a+b/c', tab);
    await forge('a+b/c');
    // Firefox sends keys only to the tab in front.
    await page.bringToFront();
    await page.getByRole('button', { name: 'Join Evil Corp' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(pages.onboarding);
    await page.getByText('You’re joining Evil Corp.').waitFor();
    await tab.getByRole('button', { name: 'Join Evil Corp' }).click();
    await tab.waitForURL(pages.onboarding);
  });
});

/** The menu of the account names the organization. */
async function expectOrganization(page: Page, name: string): Promise<void> {
  await accountOn(page).click();
  await page.locator(':popover-open').getByText(name).waitFor();
  await page.keyboard.press('Escape');
}

async function expectProblem(page: Page, sentence: string): Promise<void> {
  await page.getByRole('alert').waitFor();
  expect(await page.getByRole('alert').textContent()).to.equal(sentence);
  expect(await page.getByText('You’ve been invited').count()).to.equal(0);
}
