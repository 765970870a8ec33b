import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Page } from 'playwright-core';
import { languages, languageTags } from '../../client/language/languages.ts';
import { messages } from '../../client/language/messages/en.ts';
import { pages } from '../../shared/interface.ts';
import { inARow, turn } from '../client/chat/turns.ts';
import { conversationOn } from './support/conversation.ts';
import { needs } from './support/engine.ts';
import { isFocused } from './support/focus.ts';
import { visitWithConversations } from './support/stored-conversations.ts';
import { visit } from './support/visit.ts';

const dark = 'rgb(20, 24, 23)';

const appearanceOf = (page: Page) =>
  page.evaluate(() => ({
    background: getComputedStyle(document.body).backgroundColor,
    browser: [...document.querySelectorAll<HTMLMetaElement>('meta[name=theme-color]')]
      .filter(({ media }) => matchMedia(media).matches)
      .map(({ content }) => content),
  }));

describe('Settings', () => {
  it('apply immediately, in other tabs, and from the first paint after a reload; notifications stay off if the browser denies them', async function () {
    needs(this, 'media emulation');

    const page = await visit(pages.demo);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.evaluate(() => {
      Notification.requestPermission = async () => 'denied';
    });
    const other = await page.context().newPage();
    await other.goto(pages.signIn);
    const open = page.getByRole('button', { name: 'Settings' });
    const initial = await appearanceOf(page);
    expect(initial.browser).to.have.length(1).and.not.include('#141817');
    await open.click();
    const settings = page.getByRole('dialog', { name: 'Settings' });
    const notify = page.getByRole('checkbox');
    await notify.click();
    await page.getByText('Notifications are blocked for this site.').waitFor();
    expect(await notify.isChecked()).to.equal(false);
    await page.evaluate(() => Reflect.deleteProperty(window, 'Notification'));
    await notify.click();
    await page.getByText(messages.settings.notificationsMissing).waitFor();
    expect(await notify.isChecked()).to.equal(false);
    await settings.getByRole('radio', { name: 'Dark' }).check();
    await settings.getByRole('radio', { name: 'New line' }).check();
    const set = { background: dark, browser: ['#141817'] };
    expect(await appearanceOf(page)).to.deep.equal(set);
    await settings.getByRole('radio', { name: 'System' }).check();
    expect(await appearanceOf(page)).to.deep.equal(initial);
    await settings.getByRole('radio', { name: 'Dark' }).check();
    await page.emulateMedia({ forcedColors: 'active' });
    const segmentColors = await settings
      .locator('.segments')
      .first()
      .locator('label')
      .evaluateAll((labels) => labels.map((label) => getComputedStyle(label).backgroundColor));
    expect(new Set(segmentColors).size, 'the chosen segment in forced colors').to.equal(2);
    await page.emulateMedia({ forcedColors: 'none' });
    await other.waitForFunction(() => document.documentElement.dataset.theme === 'dark');
    expect(await appearanceOf(other)).to.deep.equal(set);

    await page.keyboard.press('Escape');
    await settings.waitFor({ state: 'detached' });
    expect(await isFocused(open)).to.equal(true);
    await page.reload();
    const { composer, questions } = conversationOn(page);
    await composer.fill('First line');
    await composer.press('Enter');
    expect(await composer.inputValue()).to.equal('First line\n');
    expect(await questions.count()).to.equal(0);
    expect(await appearanceOf(page)).to.deep.equal(set);

    // Only the inline script of the page runs.
    await page.route(/assets\/.*\.js$/, (route) => route.fulfill({ contentType: 'text/javascript', body: '' }));
    await page.reload();
    expect((await appearanceOf(page)).background).to.equal(dark);
  });

  it('keep their height when the storage figures arrive', async () => {
    const { page } = await visitWithConversations([
      { title: 'Castings?', turns: inARow(turn('Castings?', 'The moulds wait.')) },
    ]);
    await page.evaluate(() => {
      const { storage } = navigator;
      const estimate = storage.estimate.bind(storage);
      const released = new Promise((resolve) => window.addEventListener('release', resolve));
      storage.estimate = () => released.then(estimate);
    });
    await page.locator('.account').click();
    await page.getByRole('menuitem').first().click();
    const dialog = page.locator('.settings');
    await dialog.locator('.device-action').nth(2).waitFor();
    const { height } = (await dialog.boundingBox()) ?? {};
    await page.evaluate(() => window.dispatchEvent(new Event('release')));
    await dialog.locator('.settings-row > .aside').waitFor();
    expect((await dialog.boundingBox())?.height).to.equal(height);
  });

  it('fit a window of 800 pixels in every language, without scrolling', async () => {
    const { page } = await visitWithConversations([
      { title: 'Castings?', turns: inARow(turn('Castings?', 'The moulds wait.')) },
    ]);
    for (const language of languageTags) {
      await page.evaluate((chosen) => localStorage.setItem('advisory-chat:language', chosen), language);
      await page.reload();
      await page.locator('.account').click();
      await page.getByRole('menuitem').first().click();
      const dialog = page.locator('.settings');
      await dialog.locator('.device-action').nth(2).waitFor();
      await dialog.locator('.settings-row > .aside').waitFor();
      const hidden = await dialog.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight);
      expect(hidden, languages[language].name).to.equal(0);
    }
  });
});
