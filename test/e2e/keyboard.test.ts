import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Page } from 'playwright-core';
import { needs } from './support/engine.ts';
import { isFocused } from './support/focus.ts';
import { people } from './support/people.ts';
import { accountOn, visitDemo, visitLiveChat } from './support/sign-in.ts';

const focusedName = (page: Page) =>
  page.evaluate(() => {
    const { activeElement } = document;
    return activeElement?.getAttribute('aria-label') ?? activeElement?.textContent?.trim() ?? '';
  });

describe('The client with keyboard and screen reader', () => {
  it('has skip links, and gives each page a title and heading', async function () {
    needs(this, 'links within a page');

    const { page, composer } = await visitDemo();
    expect(await page.title()).to.equal('Demo · Advisory Chat');
    await page.keyboard.press('Tab');
    expect(await focusedName(page)).to.equal('Skip to content');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await focusedName(page)).to.equal('Skip to the message field');
    await page.keyboard.press('Enter');
    expect(await isFocused(composer)).to.equal(true);

    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.title()).to.equal('Sign in · Advisory Chat');
    expect(await isFocused(page.getByRole('heading', { name: 'Sign in' }))).to.equal(true);
    await page.getByRole('link', { name: 'Try the demo' }).press('Enter');
    await page.getByRole('heading', { name: 'Try an advisory conversation' }).waitFor();
    expect(await page.title()).to.equal('Demo · Advisory Chat');
    expect(await focusedName(page)).to.equal('Try an advisory conversation');
  });

  it('does not send on Enter during IME composition', async function () {
    needs(this, 'DevTools');

    const { page, composer, questions, replies } = await visitDemo();
    await composer.focus();
    const devTools = await page.context().newCDPSession(page);
    await devTools.send('Input.imeSetComposition', { text: '現状は', selectionStart: 3, selectionEnd: 3 });
    await devTools.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', key: 'Enter', code: 'Enter' });
    expect(await questions.count()).to.equal(0);
    expect(await composer.inputValue()).to.equal('現状は');
    await devTools.send('Input.insertText', { text: '現状は?' });
    expect(await composer.inputValue()).to.equal('現状は?');
    await page.keyboard.press('Enter');
    await replies.waitFor();
    expect(await questions.allTextContents()).to.deep.equal(['現状は?']);
    expect(await isFocused(composer)).to.equal(true);
  });

  it('announces the start and end of a reply but not its words', async () => {
    const { page, replies, exchange, askUntilStarted } = await visitDemo();
    const announcements = await page.evaluateHandle(() => {
      const sentences: string[] = [];
      const live = '[role=status], [role=alert], [aria-live=polite], [aria-live=assertive]';
      new MutationObserver((records) => {
        for (const { target } of records) {
          const region = (target instanceof Element ? target : target.parentElement)?.closest(live);
          const text = region?.textContent ?? '';
          if (text !== '' && text !== sentences.at(-1)) sentences.push(text);
        }
      }).observe(document.body, { subtree: true, childList: true, characterData: true });
      return sentences;
    });

    await askUntilStarted('Where does this engagement stand? (please stall)');
    await replies.waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Stopped', { exact: true }).waitFor();
    await exchange('And what next?');
    const [first, ...others] = await announcements.jsonValue();
    expect(first).to.equal('Reply started');
    // The page can render the start and the end of a short reply at once.
    expect(others.filter((sentence) => sentence !== first)).to.deep.equal(['Reply stopped', 'Reply finished']);
  });

  it('inserts typed characters into the message field while no control has the focus, and leaves controls their keys', async () => {
    const { page, composer, replies, exchange } = await visitDemo();
    await exchange('Where does this engagement stand?');
    const blur = () => composer.evaluate((field) => field.blur());
    for (const leave of [blur, () => replies.first().click({ position: { x: 2, y: 2 } })]) {
      await leave();
      expect(await isFocused(composer)).to.equal(false);
      await page.keyboard.type('What is next?');
      expect(await isFocused(composer)).to.equal(true);
      expect(await composer.inputValue()).to.equal('What is next?');
      await composer.fill('');
    }

    await blur();
    for (const key of [' ', 'Control+x', 'Alt+x', 'Home']) await page.keyboard.press(key);
    expect(await isFocused(composer)).to.equal(false);
    await page.getByRole('button', { name: 'Copy reply' }).focus();
    await page.keyboard.press('x');
    expect(await isFocused(composer)).to.equal(false);
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('combobox');
    await palette.waitFor();
    await palette.evaluate((field: HTMLElement) => field.blur());
    await page.keyboard.press('x');
    expect(await composer.inputValue()).to.equal('');
  });

  it('stops a reply on Escape in the message field or elsewhere on the page, unless Escape has another effect', async () => {
    const { page, composer, stop, askUntilStarted } = await visitLiveChat(people.onboarded);
    await askUntilStarted('please stall');

    const search = page.getByRole('searchbox');
    await search.fill('stall');
    await search.press('Escape');
    await page
      .getByRole('button', { name: /^More actions/ })
      .first()
      .press('Enter');
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').press('Escape');
    await page.getByRole('combobox').waitFor({ state: 'detached' });
    await accountOn(page).click();
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    expect(await stop.isVisible()).to.equal(true);

    await composer.press('Escape');
    await stop.waitFor({ state: 'detached' });
    expect(await isFocused(composer)).to.equal(true);
    await page.keyboard.type('please');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('stall');
    expect(await composer.inputValue()).to.equal('please\nstall');
    await askUntilStarted('please stall');
    await page.getByRole('heading', { level: 1 }).evaluate((heading) => {
      heading.tabIndex = -1;
      heading.focus();
    });
    await page.keyboard.press('Escape');
    await stop.waitFor({ state: 'detached' });
  });
});
