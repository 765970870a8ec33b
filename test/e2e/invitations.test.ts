import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import type { Page } from 'playwright-core';
import { tokenHash } from '../../server/database/people.ts';
import { pages } from '../../shared/interface.ts';
import { signInProblems } from '../../shared/session.ts';
import { conversationUrl } from './support/conversation-list.ts';
import { people } from './support/people.ts';
import { startProduct } from './support/product.ts';
import { accountOn, fillOnboarding, signInAs, signOut } from './support/sign-in.ts';
import { visit } from './support/visit.ts';

const [first, second] = people.newOnes;

const invitedTo = (token: string) => `${pages.signIn}?${new URLSearchParams({ invitation: token })}`;

describe('an invitation in the browser', () => {
  let product: Awaited<ReturnType<typeof startProduct>>;

  before(async () => {
    product = await startProduct({ SIGN_UP: 'invited' });
  });

  after(() => product.remove());

  /** Stores an invitation by `token` past the service, into the organization of the first person where there is one. */
  async function invite(token: string): Promise<void> {
    await product.stop();
    await product.rows(
      `insert into invitations (id, token_hash, joins, expires_at)
       values ('${token}', '${tokenHash(token)}', (select id from organizations limit 1), now() + interval '1 day')`,
    );
    await product.startAgain();
  }

  async function expectProblem(page: Page, sentence: string): Promise<void> {
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).to.equal(sentence);
    expect(await page.getByText('You have been invited').count()).to.equal(0);
  }

  it('lets in whom it was sent to, once, and leads the next one into the same organization', async () => {
    const page = await visit(pages.signIn, product);
    await signInAs(page, first);
    await expectProblem(page, signInProblems.uninvited);

    await invite('a+b/c');
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

    await invite('d');
    await page.goto(invitedTo('d'));
    await signInAs(page, second);
    await page.getByText('You are joining Example Castings.').waitFor();
    await page.getByLabel('Your role').fill('Adviser');
    await page.getByRole('button', { name: 'Start the engagement' }).click();
    await page.waitForURL(conversationUrl);
    await accountOn(page).getByText('Example Castings').waitFor();
  });
});
