import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Page } from 'playwright-core';
import { pages, routes } from '../../shared/interface.ts';
import { turn } from '../client/chat/turns.ts';
import { expectAccessible } from './support/axe.ts';
import { conversationOn } from './support/conversation.ts';
import { listOn } from './support/conversation-list.ts';
import { isFocused } from './support/focus.ts';
import { people } from './support/people.ts';
import { boxOf, distanceBelowHeader, topOf } from './support/rendering.ts';
import { mockInvitation, mockSession, newPerson } from './support/session.ts';
import {
  accountOn,
  askToSignOutEverywhere,
  fillOnboarding,
  openLiveChat,
  signOut,
  signOutWithConversations,
} from './support/sign-in.ts';
import { storeDemo, visitNamed, visitWithConversations } from './support/stored-conversations.ts';
import { breakCode, openEmptyPage, storedText } from './support/visit.ts';

/** Opens onboarding as a signed-in user with a partly filled form on this device. `prepare` changes the page before it is opened. */
async function visitSignedIn(prepare?: (page: Page) => Promise<unknown>) {
  const page = await openEmptyPage();
  await prepare?.(page);
  const changeSession = await mockSession(page, newPerson);
  await page.goto(pages.onboarding);
  await page.getByLabel('Your role').fill('Adviser');
  const account = accountOn(page);
  const askEverywhere = () => askToSignOutEverywhere(page);
  /** Makes the service answer sign-outs with `status`; below 500, the session has then ended. */
  const answerSignOuts = async (status: number) => {
    for (const path of [routes.signOut, routes.signOutEverywhere])
      await page.route(path, (route) => {
        if (status < 500) changeSession(null);
        return route.fulfill({ status });
      });
  };
  return {
    page,
    account,
    changeSession,
    askEverywhere,
    answerSignOuts,
    dialog: page.getByRole('dialog', { name: 'Sign out on all devices?' }),
    async signOutEverywhere(status: number) {
      await answerSignOuts(status);
      await askEverywhere();
      await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    },
  };
}

describe('The account menu', () => {
  it('shows the email address, fits the narrowest screen, and asks for confirmation before signing out on all devices', async () => {
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
    const { left, right } = await boxOf(page.locator(':popover-open'));
    expect(left).to.be.at.least(0);
    expect(right).to.be.at.most(320);
    await page.setViewportSize({ width: 1280, height: 800 });
    await askEverywhere();
    await expectAccessible(dialog, 'the question before signing out on all devices');
  });

  it('reports a failed sign-out or an ended session, and deletes nothing on this device until the sign-out has succeeded', async () => {
    const { page, answerSignOuts, changeSession, signOutEverywhere } = await visitSignedIn();
    const failed = page.getByRole('alert').getByText('Couldn’t sign out. Try again.');
    await answerSignOuts(500);
    await signOut(page);
    await failed.waitFor();
    await page.reload();
    await signOutEverywhere(500);
    await failed.waitFor();
    expect(await storedText(page)).to.contain('Adviser');

    await page.reload();
    await signOutEverywhere(401);
    await page.getByText('You’ve been signed out.').waitFor();
    expect(await storedText(page)).to.contain('Adviser');

    changeSession(newPerson);
    await page.goto(pages.onboarding);
    const posted = page.waitForRequest(`**${routes.signOutEverywhere}`);
    await signOutEverywhere(204);
    expect((await posted).method()).to.equal('POST');
    await page.waitForURL(pages.demo);
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
    await page.getByText('You’re signed out.', { exact: true }).waitFor();
    expect(await storedText(page)).to.equal('[{},{}]');
  });

  it('deletes nothing on a sign-out of this browser or of all devices if the conversations cannot be counted', async () => {
    const { page, answerSignOuts, changeSession, signOutEverywhere } = await visitSignedIn((page) =>
      breakCode(page, /\/live-conversations-[^/]*\.js$/),
    );
    const expectKept = async () => {
      await page.getByText('You’re signed out. Your conversations are still on this device.').waitFor();
      expect(await storedText(page)).to.contain('Adviser');
    };
    await answerSignOuts(204);
    await signOut(page);
    await expectKept();
    changeSession(newPerson);
    await page.goto(pages.onboarding);
    await signOutEverywhere(204);
    await expectKept();
  });

  it('leaves nothing on this device if the response to the onboarding form arrives after the sign-out', async () => {
    const { page, answerSignOuts } = await visitSignedIn();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route(routes.onboarding, async (route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      await released;
      await route.fulfill({ status: 204 });
    });
    await answerSignOuts(204);
    const submitted = page.waitForRequest((request) => request.method() === 'POST');
    await fillOnboarding(page);
    await submitted;
    await signOut(page);
    await page.getByText('You’re signed out.', { exact: true }).waitFor();
    const readAgain = page.waitForResponse(routes.session);
    release();
    await readAgain;
    expect(await storedText(page)).to.equal('[{},{}]');
  });

  it('confirms a sign-out above the message field of a demo conversation, until the next question', async () => {
    const { page } = await visitNamed(['Where do we stand']);
    await storeDemo(page, turn('A question to the demo?', 'A reply.'));
    await signOut(page);
    await page.getByRole('button', { name: 'Keep on this device' }).click();
    const confirmation = page.getByText('You’re signed out. Your conversations are still on this device.');
    await confirmation.waitFor();
    await page.getByText('A question to the demo?').last().waitFor();
    await conversationOn(page).ask('And another one?');
    await confirmation.waitFor({ state: 'detached' });
  });

  it('leaves the conversations on this device if the user chooses to, visible only to the account that they belong to', async () => {
    const { page, questions } = await visitWithConversations([
      { title: 'Status', turns: [turn('Where do we stand?', 'In week 3.\n\n'.repeat(20))] },
    ]);
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
    expect(await listOn(page).entries.count()).to.equal(0);
    await signOut(page);
    await page.waitForURL(pages.demo);

    await openLiveChat(page, people.onboarded);
    await questions.getByText('Where do we stand?').waitFor();
    await signOutWithConversations(page);
    await page.waitForURL(pages.demo);
    await page.goto(pages.signIn);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await notice.count()).to.equal(0);
    expect(await storedText(page)).to.equal('[{},{}]');
  });

  it('asks whether to delete the conversations, even on a page that does not show them, and keeps Cancel in view in a short window', async () => {
    const { page } = await visitNamed(['Where do we stand']);
    await mockInvitation(page, { id: 'another', name: 'Example Foundry' });
    await page.goto(`${pages.signIn}?invitation=another`);
    await page.getByRole('button', { name: 'Join Example Foundry' }).waitFor();
    await signOut(page);
    const dialog = page.getByRole('dialog', { name: 'Sign out?' });
    await dialog.getByText('1 conversation is stored on this device.').waitFor();
    await dialog
      .getByText('The conversation will be gone from this device. The service keeps its own record.')
      .waitFor();
    // The viewport of a window of 1280 by 800 pixels at a zoom of 200 %.
    await page.setViewportSize({ width: 640, height: 400 });
    expect((await boxOf(dialog.getByRole('button', { name: 'Cancel' }))).bottom).to.be.below(400);
    await dialog.getByRole('button', { name: 'Delete from this device' }).click();
    await page.getByText('You’re signed out. Your conversations were deleted from this device.').waitFor();
    expect(await storedText(page)).to.equal('[{},{}]');
  });
});
