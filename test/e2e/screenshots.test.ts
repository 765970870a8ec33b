import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Page } from 'playwright-core';
import { pages, routes } from '../../shared/interface.ts';
import { mistyped } from './support/complaints.ts';
import { conversationOn } from './support/conversation.ts';
import { conversationUrl } from './support/conversation-list.ts';
import { people } from './support/people.ts';
import { joiningPerson, newPerson, pretendInvitation, pretendSession } from './support/session.ts';
import { accountOn, fillOnboarding, signInAs, visitDemo } from './support/sign-in.ts';
import { freezeClock, visit } from './support/visit.ts';

const directory = fileURLToPath(new URL('../../test-results/screenshots', import.meta.url));
const devices = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 800 } };

/** Takes `page` as it stands on both devices in both colour schemes, and looks whether it fits their width. */
async function photograph(page: Page, name: string, { fullPage = false } = {}): Promise<void> {
  for (const [device, size] of Object.entries(devices)) {
    await page.setViewportSize(size);
    // The first picture of another size may show the page on its way there.
    await page.screenshot();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      if (fullPage) await page.evaluate(() => window.scrollTo(0, 0));
      await page.screenshot({ path: join(directory, `${name}-${device}-${colorScheme}.png`), fullPage });
    }
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width, `${name} on the ${device}`).to.be.at.most(size.width);
  }
}

describe('the pages on a phone and on a desktop, light and dark', () => {
  it('fit the screen in the demo', async () => {
    const { page, ask, error, replies, stop } = await visitDemo();
    await photograph(page, 'demo-empty');

    await ask('Where does this engagement stand? (please stall)');
    await replies.filter({ hasText: 'connected' }).waitFor();
    await photograph(page, 'demo-streaming');
    await stop.click();
    await photograph(page, 'demo-stopped');

    await ask('please fail midway');
    await error.waitFor();
    await photograph(page, 'demo-error');
    await freezeClock(page);
    await ask('please be overloaded');
    await page.getByText('Attempt 2 of 5').waitFor();
    await photograph(page, 'demo-retry');
  });

  it('fit the screen in trouble', async () => {
    const page = await visit(pages.demo);
    await page.getByRole('list', { name: 'Suggested questions' }).waitFor();
    await page.context().setOffline(true);
    await page.getByText('You are offline.').waitFor();
    await photograph(page, 'demo-offline');
    await page.context().setOffline(false);
    await page.goto(mistyped);
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
    await photograph(page, 'not-found');
    await page.route(routes.session, (route) => route.abort());
    await page.goto(pages.chat);
    await page.getByRole('heading', { name: 'The service cannot be reached' }).waitFor();
    await photograph(page, 'unreachable');
  });

  it('fit the screen from sign-in to live chat', async () => {
    const page = await visit(pages.signIn);
    const { ask, finished, composer } = conversationOn(page);
    await page.getByRole('link', { name: 'Continue with Google' }).waitFor();
    await photograph(page, 'sign-in');
    await page.goto(`${pages.signIn}?invitation=example`);
    await page.getByText('You have been invited').waitFor();
    await photograph(page, 'sign-in-invited');
    await pretendSession(page, { ...newPerson, onboarded: true });
    await pretendInvitation(page, { id: 'another', name: 'Example Foundry' });
    await page.reload();
    await page.getByRole('button', { name: 'Join Example Foundry' }).waitFor();
    await photograph(page, 'join');
    await page.unrouteAll();

    // Which the page forgets with a problem: it is nobody's invitation.
    await page.goto(`${pages.signIn}?problem=cancelled`);
    await page.getByRole('alert').waitFor();
    await photograph(page, 'sign-in-problem');

    await signInAs(page, people.newAndPhotographed);
    await page.getByRole('heading', { name: 'Tell us about the engagement' }).waitFor();
    await photograph(page, 'onboarding', { fullPage: true });
    await page.getByRole('button', { name: 'Add a hypothesis' }).click();
    await page.getByRole('textbox', { name: 'Hypothesis 1' }).fill('x'.repeat(501));
    await page.getByRole('button', { name: 'Start the engagement' }).click();
    await page.getByText('Some fields need another look.').waitFor();
    await photograph(page, 'onboarding-errors', { fullPage: true });
    await page.getByRole('button', { name: 'Remove hypothesis 1' }).click();
    await fillOnboarding(page);

    await page.waitForURL(conversationUrl);
    await composer.waitFor();
    await photograph(page, 'chat-empty');
    await accountOn(page).click();
    await page.getByRole('button', { name: 'Sign out on all devices' }).waitFor();
    await photograph(page, 'account');
    await page.getByRole('button', { name: 'Sign out on all devices' }).click();
    await page.getByRole('dialog').waitFor();
    await photograph(page, 'sign-out-everywhere');
    await page.keyboard.press('Escape');
    await ask('Where do we stand, and what should we do this week?');
    await finished();
    await photograph(page, 'chat-answered');
    await page.context().clearCookies();
    await ask('And what next?');
    await page.getByText('You are no longer signed in').waitFor();
    await photograph(page, 'chat-signed-out');
  });

  it('fit the screen where somebody joins an organization', async () => {
    const page = await visit(pages.demo);
    await pretendSession(page, joiningPerson);
    await page.goto(pages.onboarding);
    await page.getByText('You are joining').waitFor();
    await photograph(page, 'onboarding-joining', { fullPage: true });
  });
});
