import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pages, routes } from '../../shared/interface.ts';
import { expectAccessible } from './support/axe.ts';
import { isFocused } from './support/focus.ts';
import { people } from './support/people.ts';
import { newPerson, pretendSession } from './support/session.ts';
import { accountOn, signOut, visitLiveChat } from './support/sign-in.ts';
import { visit } from './support/visit.ts';

const stored = () => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]);

/** The page of somebody who is signed in, with something of theirs on the device. */
async function visitSignedIn() {
  const page = await visit(pages.demo);
  const changeSession = await pretendSession(page, newPerson);
  await page.goto(pages.onboarding);
  await page.getByLabel('Your role').fill('Adviser');
  return {
    page,
    changeSession,
    account: accountOn(page),
    everywhere: page.getByRole('button', { name: 'Sign out on all devices' }),
    dialog: page.getByRole('dialog', { name: 'Sign out on all devices?' }),
    confirm: page.getByRole('button', { name: 'Sign out everywhere' }),
  };
}

describe('the account in the header', () => {
  it('opens and closes by keyboard, and gives the focus back', async () => {
    const { page, account, everywhere } = await visitSignedIn();
    await account.focus();
    await page.keyboard.press('Enter');
    await page.getByText(newPerson.email).waitFor();
    for (const way of ['Settings', /^Commands/, /^Sign out$/]) {
      await page.keyboard.press('Tab');
      expect(await isFocused(page.getByRole('button', { name: way }))).to.equal(true);
    }
    await page.keyboard.press('Tab');
    expect(await isFocused(everywhere)).to.equal(true);
    await page.keyboard.press('Escape');
    await everywhere.waitFor({ state: 'hidden' });
    expect(await isFocused(account)).to.equal(true);
  });

  it('asks before it signs out on all devices, and gives the focus back where the person stays', async () => {
    const { page, account, everywhere, dialog } = await visitSignedIn();
    const sent: string[] = [];
    page.on('request', (request) => sent.push(new URL(request.url()).pathname));
    await account.click();
    await everywhere.click();
    await dialog.getByText('Every browser and device where you are signed in is signed out, this one too.').waitFor();
    expect(await isFocused(page.getByRole('button', { name: 'Cancel' }))).to.equal(true);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect(await isFocused(account)).to.equal(true);

    await account.click();
    await everywhere.click();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await isFocused(account)).to.equal(true);
    expect(sent).to.not.include(routes.signOutEverywhere);
  });

  it('signs out on all devices, and leaves nothing on this one', async () => {
    const { page, changeSession, account, everywhere, confirm } = await visitSignedIn();
    expect(await page.evaluate(stored)).to.contain('Adviser');
    await page.route(routes.signOutEverywhere, (route) => {
      changeSession(null);
      return route.fulfill({ status: 204 });
    });
    await account.click();
    await everywhere.click();
    const posted = page.waitForRequest(`**${routes.signOutEverywhere}`);
    await confirm.click();
    expect((await posted).method()).to.equal('POST');
    await page.waitForURL(pages.demo);
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate(stored)).to.equal('[{},{}]');
  });

  for (const route of [routes.signOut, routes.signOutEverywhere]) {
    it(`says so where ${route} fails, and leaves the person signed in`, async () => {
      const { page, account, everywhere, confirm } = await visitSignedIn();
      await page.route(route, (request) => request.fulfill({ status: 500 }));
      if (route === routes.signOut) await signOut(page);
      else {
        await account.click();
        await everywhere.click();
        await confirm.click();
      }
      await page.getByRole('alert').getByText('Signing out failed. Try again.').waitFor();
      expect(await page.evaluate(stored)).to.contain('Adviser');
    });
  }

  it('leads to the sign-in page where the session has ended already', async () => {
    const { page, changeSession, account, everywhere, confirm } = await visitSignedIn();
    await page.route(routes.signOutEverywhere, (route) => {
      changeSession(null);
      return route.fulfill({ status: 401 });
    });
    await account.click();
    await everywhere.click();
    await confirm.click();
    await page.getByText('You are no longer signed in.').waitFor();
    expect(await page.evaluate(stored)).to.contain('Adviser');
  });

  it('is accessible, with its menu and its question', async function () {
    this.timeout(120_000);
    const { page, account, everywhere, dialog } = await visitSignedIn();
    await account.click();
    await expectAccessible(page, 'the menu of the account');
    await everywhere.click();
    await dialog.waitFor();
    await expectAccessible(page, 'the question before signing out on all devices');
  });

  it('keeps its menu within the narrowest screen', async () => {
    const { page } = await visitLiveChat(people.onboarded);
    await page.setViewportSize({ width: 320, height: 640 });
    await accountOn(page).click();
    const menu = page.locator('.account + .account-menu');
    await menu.waitFor();
    const { x = -1, width = 0 } = (await menu.boundingBox()) ?? {};
    expect(x).to.be.at.least(0);
    expect(x + width).to.be.at.most(320);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).to.equal(320);
  });
});
