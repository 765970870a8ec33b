import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Page } from 'playwright-core';
import { tokenHash } from '../../server/database/serving/users.ts';
import { pages, routes } from '../../shared/interface.ts';
import { signInProblems } from '../../shared/session.ts';
import { perSuite } from '../support/per-suite.ts';
import { startProduct } from '../webkit/support/product.ts';
import { conversationUrl } from './support/conversation-list.ts';
import { people } from './support/people.ts';
import { accountOn, prepareUser, signInAs } from './support/sign-in.ts';
import { openEmptyPage, visit } from './support/visit.ts';

const [first, second, third] = people.newPeople;

describe('An invitation', () => {
  const app = perSuite(startProduct);

  /** Creates an organization, and stores an invitation into it with each of `tokens`. */
  async function invite(person: Parameters<typeof app.person>[0], name: string, ...tokens: string[]): Promise<void> {
    const { id } = (await app.person(person)).user.organization;
    await app.storage.rows('update organizations set name = ? where id = ?', [name, id]);
    const insert =
      "insert into invitations (id, token_hash, joins, expires_at) values (?, ?, ?, now() + interval '1 day')";
    for (const token of tokens) await app.storage.rows(insert, [token, tokenHash(token), id]);
  }

  it('leads a new user into its organization, which the onboarding does not ask about again', async () => {
    await invite(people.onboarded, 'Example Foundry', 'e+f/g');
    const page = await visit(`${pages.signIn}?${new URLSearchParams({ invitation: 'e+f/g' })}`, app);
    await signInAs(page, second);
    await page.getByText('You’re joining Example Foundry.').waitFor();
    expect(await page.getByLabel(/company|industry/i).count()).to.equal(0);
    await page.getByRole('button', { name: 'Start the engagement' }).click();
    await page.getByText('Your role is required.').first().waitFor();
    await page.getByLabel('Your role').fill('Adviser');
    await page.getByRole('button', { name: 'Start the engagement' }).click();
    await page.waitForURL(conversationUrl);
    await page.getByRole('button', { name: 'at Example Foundry' }).waitFor();
    await expectOrganization(page, 'Example Foundry');
  });

  it('for an existing account requires confirmation, even after a forged navigation; the user then stays or joins', async () => {
    const page = await openEmptyPage(app);
    await prepareUser(page, first);
    await invite(third, 'Evil Corp', 'a+b/c', 'd');
    const forge = async (token: string) => {
      await page.goto(`${routes.signIn}/google?${new URLSearchParams({ invitation: token })}`);
      await page.getByRole('button', { name: first.who }).click();
      await page.getByRole('heading', { name: 'Join Evil Corp?' }).waitFor();
    };
    const join = page.getByRole('button', { name: 'Join Evil Corp' });
    const stay = page.getByRole('link', { name: 'Stay in Example Castings' });
    await forge('a+b/c');
    await page
      .getByText('You’re a member of Example Castings. If you join Evil Corp, you’ll leave Example Castings.')
      .waitFor();
    expect(new URL(page.url()).search).to.equal('?returnTo=%2Fchat');
    expect(await stay.getAttribute('href')).to.equal(pages.chat);

    // The invitation is withdrawn between the question and the answer.
    await app.storage.rows("delete from invitations where id = 'a+b/c'");
    await join.click();
    await page.getByRole('alert').getByText(signInProblems.invitation).waitFor();
    await stay.click();
    await page.waitForURL(conversationUrl);
    await expectOrganization(page, 'Example Castings');

    await forge('d');
    await join.focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(pages.onboarding);
    await page.getByText('You’re joining Evil Corp.').waitFor();
  });
});

/** The menu of the account names the organization. */
async function expectOrganization(page: Page, name: string): Promise<void> {
  await accountOn(page).click();
  await page.locator(':popover-open').getByText(name).waitFor();
}
