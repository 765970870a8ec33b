import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Page } from 'playwright-core';
import { pages } from '../../shared/interface.ts';
import { conversationOn } from './support/conversation.ts';
import { isFocused } from './support/focus.ts';
import { visit } from './support/visit.ts';

const dark = 'rgb(20, 24, 23)';

/** What the whole of `page` is drawn in. */
const look = (page: Page) =>
  page.evaluate(() => ({
    background: getComputedStyle(document.body).backgroundColor,
    textPixels: getComputedStyle(document.documentElement).fontSize,
    browser: [...document.querySelectorAll<HTMLMetaElement>('meta[name=theme-color]')]
      .filter(({ media }) => matchMedia(media).matches)
      .map(({ content }) => content),
  }));

describe('the settings in the browser', () => {
  it('hold at once, in other tabs and after a reload, and give the focus back', async () => {
    const page = await visit(pages.demo);
    await page.emulateMedia({ colorScheme: 'light' });
    const other = await page.context().newPage();
    await other.goto(pages.signIn);
    const open = page.getByRole('button', { name: 'Settings' });
    await open.click();
    const settings = page.getByRole('dialog', { name: 'Settings' });
    await settings.getByRole('radio', { name: 'Dark' }).check();
    await settings.getByRole('radio', { name: 'Large' }).check();
    await settings.getByRole('radio', { name: 'Breaks the line' }).check();
    const set = { background: dark, textPixels: '19px', browser: ['#141817'] };
    expect(await look(page)).to.deep.equal(set);
    await other.waitForFunction(() => document.documentElement.dataset.theme === 'dark');
    expect(await look(other)).to.deep.equal(set);

    await page.keyboard.press('Escape');
    await settings.waitFor({ state: 'detached' });
    expect(await isFocused(open)).to.equal(true);
    await page.reload();
    const { composer, questions } = conversationOn(page);
    await composer.fill('First line');
    await composer.press('Enter');
    expect(await composer.inputValue()).to.equal('First line\n');
    expect(await questions.count()).to.equal(0);
    expect(await look(page)).to.deep.equal(set);
  });

  it('show nobody who has set a theme the other one first', async () => {
    const page = await visit(pages.demo);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('radio', { name: 'Dark' }).check();
    // Of all scripts only the one that runs before the first look.
    await page.route(/assets\/.*\.js$/, (route) => route.fulfill({ contentType: 'text/javascript', body: '' }));
    await page.reload();
    expect((await look(page)).background).to.equal(dark);
  });

  it('say where the browser allows no notifications', async () => {
    const page = await visit(pages.demo);
    await page.evaluate(() => {
      Notification.requestPermission = async () => 'denied';
    });
    await page.getByRole('button', { name: 'Settings' }).click();
    const wanted = page.getByRole('checkbox');
    await wanted.click();
    await page.getByText('This browser does not let the page do that.').waitFor();
    expect(await wanted.isChecked()).to.equal(false);
  });
});
