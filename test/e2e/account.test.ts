import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pages, routes } from '../../shared/interface.ts';
import { expectAccessible } from './support/axe.ts';
import { isFocused } from './support/focus.ts';
import { people } from './support/people.ts';
import { distanceBelowHeader, topOf } from './support/rendering.ts';
import { mockInvitation, mockSession, newPerson } from './support/session.ts';
import {
  accountOn,
  askToSignOutEverywhere,
  fillOnboarding,
  openLiveChat,
  signOut,
  signOutWithConversations,
  visitLiveChat,
} from './support/sign-in.ts';
import { visit } from './support/visit.ts';

const stored = () => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]);

/** Opens onboarding as a signed-in user with a partly filled form on this device. */
async function visitSignedIn() {
  const page = await visit(pages.demo);
  const changeSession = await mockSession(page, newPerson);
  await page.goto(pages.onboarding);
  await page.getByLabel('Your role').fill('Adviser');
  const account = accountOn(page);
  const askEverywhere = () => askToSignOutEverywhere(page);
  return {
    page,
    account,
    changeSession,
    askEverywhere,
    dialog: page.getByRole('dialog', { name: 'Sign out on all devices?' }),
    /** Signs out on all devices. The service answers with `status`; below 500, the session has ended. */
    async signOutEverywhere(status: number) {
      await page.route(routes.signOutEverywhere, (route) => {
        if (status < 500) changeSession(null);
        return route.fulfill({ status });
      });
      await askEverywhere();
      await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    },
  };
}

describe('The account menu', () => {
  it('shows the email address, fits the narrowest screen, and asks for confirmation before signing out on all devices', async function () {
    this.timeout(120_000);
    const { page, account, askEverywhere, dialog } = await visitSignedIn();
    await account.press('Enter');
    await page.getByText(newPerson.email).waitFor();
    await page.keyboard.press('Escape');

    const sent: string[] = [];
    page.on('request', (request) => sent.push(new URL(request.url()).pathname));
    for (const key of ['Enter', 'Escape']) {
      await askEverywhere();
      await dialog.getByText('You’ll be signed out of every browser and device, including this one.').waitFor();
      expect(await isFocused(page.getByRole('button', { name: 'Cancel' }))).to.equal(true);
      await page.keyboard.press(key);
      await dialog.waitFor({ state: 'detached' });
      expect(await isFocused(account)).to.equal(true);
    }
    expect(sent).to.not.include(routes.signOutEverywhere);

    await account.click();
    await expectAccessible(page, 'the menu of the account');
    await page.setViewportSize({ width: 320, height: 640 });
    await account.click();
    const menu = page.locator('.account + .menu');
    await menu.waitFor();
    const { x = -1, width = 0 } = (await menu.boundingBox()) ?? {};
    expect(x).to.be.at.least(0);
    expect(x + width).to.be.at.most(320);
    await page.setViewportSize({ width: 1280, height: 800 });
    await askEverywhere();
    await dialog.waitFor();
    await expectAccessible(page, 'the question before signing out on all devices');
  });

  it('reports a failed sign-out or an ended session, and deletes nothing on this device until the sign-out has succeeded', async () => {
    const { page, changeSession, signOutEverywhere } = await visitSignedIn();
    const failed = page.getByRole('alert').getByText('Couldn’t sign out. Try again.');
    await page.route(routes.signOut, (route) => route.fulfill({ status: 500 }));
    await signOut(page);
    await failed.waitFor();
    await page.reload();
    await signOutEverywhere(500);
    await failed.waitFor();
    expect(await page.evaluate(stored)).to.contain('Adviser');

    await page.reload();
    await signOutEverywhere(401);
    await page.getByText('You’ve been signed out.').waitFor();
    expect(await page.evaluate(stored)).to.contain('Adviser');

    changeSession(newPerson);
    await page.goto(pages.onboarding);
    const posted = page.waitForRequest(`**${routes.signOutEverywhere}`);
    await signOutEverywhere(204);
    expect((await posted).method()).to.equal('POST');
    await page.waitForURL(pages.demo);
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
    await page.getByText('You’re signed out.', { exact: true }).waitFor();
    expect(await page.evaluate(stored)).to.equal('[{},{}]');
  });

  for (const title of ['this browser', 'all devices']) {
    it(`deletes nothing on a sign-out of ${title} if the conversations cannot be counted`, async () => {
      const { page, changeSession, askEverywhere } = await visitSignedIn();
      const unusable = { contentType: 'text/javascript', body: 'throw 0' };
      await page.route(/\/live-conversations-[^/]*\.js$/, (route) => route.fulfill(unusable));
      for (const path of [routes.signOut, routes.signOutEverywhere]) {
        await page.route(path, (route) => {
          changeSession(null);
          return route.fulfill({ status: 204 });
        });
      }
      await page.reload();
      if (title === 'this browser') await signOut(page);
      else {
        await askEverywhere();
        await page.getByRole('button', { name: 'Sign out everywhere' }).click();
      }
      await page.getByText('You’re signed out. Your conversations are still on this device.').waitFor();
      expect(await page.evaluate(stored)).to.contain('Adviser');
    });
  }

  it('leaves nothing on this device if the response to the onboarding form arrives after the sign-out', async () => {
    const { page, changeSession } = await visitSignedIn();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route(routes.onboarding, async (route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      await released;
      await route.fulfill({ status: 204 });
    });
    await page.route(routes.signOut, (route) => {
      changeSession(null);
      return route.fulfill({ status: 204 });
    });
    const submitted = page.waitForRequest((request) => request.method() === 'POST');
    await fillOnboarding(page);
    await submitted;
    await signOut(page);
    await page.getByText('You’re signed out.', { exact: true }).waitFor();
    const readAgain = page.waitForResponse(routes.session);
    release();
    await readAgain;
    expect(await page.evaluate(stored)).to.equal('[{},{}]');
  });

  it('confirms a sign-out above the message field of a demo conversation, until the next question', async () => {
    const { page, ask, finished } = await visitLiveChat(people.onboarded);
    await ask('Where do we stand?');
    await finished();
    await page.goto(pages.demo);
    await ask('A question to the demo?');
    await finished();
    await page.goto(pages.chat);
    await signOut(page);
    await page.getByRole('button', { name: 'Keep on this device' }).click();
    const confirmation = page.getByText('You’re signed out. Your conversations are still on this device.');
    await confirmation.waitFor();
    await page.getByText('A question to the demo?').last().waitFor();
    await ask('And another one?');
    await confirmation.waitFor({ state: 'detached' });
  });

  it('leaves the conversations on this device if the user chooses to, visible only to the account that they belong to', async () => {
    const { page, ask, finished, questions } = await visitLiveChat(people.onboarded);
    await ask('Where do we stand?');
    await finished();
    await page.setViewportSize({ width: 390, height: 500 });
    await page.evaluate(() => window.scrollTo(0, 9999));
    await signOut(page);
    await page.getByRole('button', { name: 'Keep on this device' }).click();
    const confirmation = page.getByText('You’re signed out. Your conversations are still on this device.');
    await confirmation.waitFor();
    expect(await page.evaluate(() => window.scrollY)).to.equal(0);
    const headingTop = await topOf(page.getByRole('heading', { level: 1 }));
    expect(await distanceBelowHeader(confirmation)).to.be.within(0, headingTop);
    await page.setViewportSize({ width: 1280, height: 800 });

    await page.goto(pages.signIn);
    const notice = page.getByText('There are conversations on this device.');
    await notice.waitFor();
    await openLiveChat(page, people.another);
    await page.getByText('Conversations that you start in this browser appear here.').waitFor();
    expect(await questions.count()).to.equal(0);
    await signOut(page);
    await page.waitForURL(pages.demo);

    await openLiveChat(page, people.onboarded);
    await questions.getByText('Where do we stand?').waitFor();
    await signOutWithConversations(page);
    await page.waitForURL(pages.demo);
    await page.goto(pages.signIn);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await notice.count()).to.equal(0);
    expect(await page.evaluate(stored)).to.equal('[{},{}]');
  });

  it('asks whether to delete the conversations, even on a page that does not show them, and keeps Cancel in view in a short window', async () => {
    const { page, ask, finished } = await visitLiveChat(people.onboarded);
    await ask('Where do we stand?');
    await finished();
    await mockInvitation(page, { id: 'another', name: 'Example Foundry' });
    await page.goto(`${pages.signIn}?invitation=another`);
    await page.getByRole('button', { name: 'Join Example Foundry' }).waitFor();
    await signOut(page);
    await page
      .getByRole('dialog', { name: 'Sign out?' })
      .getByText('1 conversation is stored on this device.')
      .waitFor();
    await page.getByText('The conversation will be gone from this device. The service keeps its own record.').waitFor();
    // The viewport of a window of 1280 by 800 pixels at a zoom of 200 %.
    await page.setViewportSize({ width: 640, height: 400 });
    const cancel = await page.getByRole('button', { name: 'Cancel' }).boundingBox();
    expect((cancel?.y ?? 400) + (cancel?.height ?? 0)).to.be.below(400);
    await page.getByRole('button', { name: 'Delete from this device' }).click();
    await page.getByText('You’re signed out. Your conversations were deleted from this device.').waitFor();
    expect(await page.evaluate(stored)).to.equal('[{},{}]');
  });
});
