import { expect } from 'chai';
import { describe, it } from 'mocha';
import { messages } from '../../client/language/messages/en.ts';
import { settingsKey } from '../../client/settings/settings.ts';
import { formatAppendedError } from '../../shared/errors.ts';
import { pages, routes } from '../../shared/interface.ts';
import { answerWith, conversationOn } from './support/conversation.ts';
import { setPageVisible } from './support/page-visibility.ts';
import { visitDemo } from './support/sign-in.ts';
import { freezeClock, visit } from './support/visit.ts';

declare global {
  var shownNotifications: string[];
}

describe('Waiting for a reply', () => {
  it('shows the elapsed time, and a message once the reply takes longer than usual', async () => {
    const { page, ask, stop } = await visitDemo();
    await page.route(routes.demoChat, () => {});
    await freezeClock(page);
    await ask('Where does this engagement stand?');
    await page.getByText('Thinking…', { exact: true }).waitFor();
    await page.clock.runFor(12_000);
    await page.getByText('Thinking… 12 s', { exact: true }).waitFor();
    const long = page.getByRole('status').getByText(messages.waiting.slowReply);
    expect(await page.getByText(messages.waiting.slowReply).count()).to.equal(0);
    await page.clock.runFor(3_000);
    await page.getByRole('status').filter({ hasText: messages.waiting.slowReply }).waitFor();
    await stop.click();
    await long.waitFor({ state: 'detached' });
  });

  it('changes the title of a background tab until the tab is visible again, and shows a notification at the end if notifications are enabled', async () => {
    const page = await visit(pages.signIn);
    await page.evaluate((key) => localStorage.setItem(key, JSON.stringify({ notifications: true })), settingsKey);
    await page.addInitScript(() => {
      globalThis.shownNotifications = [];
      class FakeNotification {
        static permission = 'granted';
        constructor(title: string) {
          globalThis.shownNotifications.push(title);
        }
      }
      Object.assign(window, { Notification: FakeNotification });
    });
    await page.goto(pages.demo);
    const [first, second] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
    await answerWith(page, first.promise, second.promise);
    await conversationOn(page).ask('Where does this engagement stand?');
    await page.getByText('Thinking…').waitFor();
    expect(await page.title()).to.equal('Demo · Advisory Chat');

    const titled = (title: string) => page.waitForFunction((expected) => document.title === expected, title);
    await setPageVisible(page, false);
    await titled('Reply in progress · Demo · Advisory Chat');
    first.resolve('It stands.');
    await titled('● Reply finished · Demo · Advisory Chat');
    expect(await page.evaluate(() => globalThis.shownNotifications)).to.deep.equal(['Your reply is ready']);
    await setPageVisible(page, true);
    await titled('Demo · Advisory Chat');

    await conversationOn(page).ask('And then?');
    await page.getByText('Thinking…').waitFor();
    await setPageVisible(page, false);
    await titled('Reply in progress · Demo · Advisory Chat');
    second.resolve(formatAppendedError('UPSTREAM_ERROR'));
    await titled('● Reply incomplete · Demo · Advisory Chat');
    expect(await page.evaluate(() => globalThis.shownNotifications)).to.have.length(1);
  });
});
