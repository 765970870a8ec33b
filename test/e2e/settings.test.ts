import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Locator, Page } from 'playwright-core';
import { loadMessages } from '../../client/language/interface-language.ts';
import { languageTags } from '../../client/language/languages.ts';
import { messages } from '../../client/language/messages/en.ts';
import { pages } from '../../shared/interface.ts';
import { inARow, turn } from '../client/chat/turns.ts';
import { conversationOn } from './support/conversation.ts';
import { needs } from './support/engine.ts';
import { isFocused } from './support/focus.ts';
import { boxOf, untilRendered } from './support/rendering.ts';
import { openSettings } from './support/sign-in.ts';
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

const conversations = [{ title: 'Castings?', turns: inARow(turn('Castings?', 'The moulds wait.')) }];

describe('Settings', () => {
  it('apply immediately, in other tabs, and after a reload; notifications stay off if the browser denies them', async function () {
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
    const set = { background: dark, browser: ['#141817'] };
    for (const [theme, appearance] of [
      ['Dark', set],
      ['System', initial],
      ['Dark', set],
    ] as const) {
      await settings.getByRole('radio', { name: theme }).check();
      expect(await appearanceOf(page), theme).to.deep.equal(appearance);
    }
    await settings.getByRole('radio', { name: 'New line' }).check();
    await page.emulateMedia({ forcedColors: 'active' });
    const segmentColors = await settings
      .getByRole('radiogroup', { name: 'Theme' })
      .locator('label')
      .evaluateAll((labels) => labels.map((label) => getComputedStyle(label).backgroundColor));
    expect(segmentColors).to.have.length(3);
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
  });

  it('stay in place while they load, and are usable in a short or narrow window, in every language', async () => {
    const { page } = await visitWithConversations(conversations);
    await page.evaluate(() => {
      const { storage } = navigator;
      const estimate = storage.estimate.bind(storage);
      const released = new Promise((resolve) => window.addEventListener('release', resolve));
      storage.estimate = () => released.then(estimate);
    });
    await openSettings(page);
    const settings = page.getByRole('dialog');
    await settings.getByRole('button', { name: 'Delete all conversations' }).waitFor();
    const height = () => settings.evaluate(({ scrollHeight }) => scrollHeight);
    const before = await height();
    await page.evaluate(() => window.dispatchEvent(new Event('release')));
    await settings.getByText(/used$/).waitFor();
    expect(await height()).to.equal(before);

    await page.setViewportSize({ width: 640, height: 400 });
    const close = settings.getByRole('button', { name: 'Close' });
    const last = settings.getByRole('button', { name: 'Sign out on all devices' });
    await last.focus();
    await untilRendered(page);
    for (const part of [settings.getByRole('heading', { name: 'Settings' }), close, last]) {
      const { top, bottom } = await boxOf(part);
      expect(top).to.be.at.least(0);
      expect(bottom).to.be.at.most(400);
    }
    // The controls that come into view at the top are below the heading.
    for (let count = 0; count < 12; count += 1) {
      await page.keyboard.press('Shift+Tab');
      await untilRendered(page);
      expect(await isFocusCovered(page)).to.equal(false);
    }

    await page.setViewportSize({ width: 320, height: 640 });
    for (const language of languageTags) {
      await settings.getByRole('combobox').selectOption(language);
      await page.getByRole('dialog', { name: (await loadMessages(language)).commands.settings }).waitFor();
      const { rows, broken, buttonSizes } = await measureRows(settings);
      expect(broken, language).to.deep.equal([]);
      expect(buttonSizes, language).to.have.length(5);
      expect(new Set(buttonSizes), language).to.have.property('size', 1);
      expect(rows, language).to.have.length(7);
      for (const { help, toName, toNextRow } of rows) expect(4 * toName, help).to.be.below(toNextRow);
    }
  });
});

/** Returns whether the sticky heading of the settings covers the focused control. */
const isFocusCovered = (page: Page) =>
  page.evaluate(() => {
    const { left, right, top, bottom } = document.activeElement?.getBoundingClientRect() ?? new DOMRect();
    const atCenter = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return document.activeElement?.contains(atCenter) === false;
  });

/** Measures distances between texts in pixels, and lists the texts with a word that is longer than their column. */
const measureRows = (settings: Locator) =>
  settings.evaluate((dialog) => {
    const buttons = [...dialog.querySelectorAll('section button')].map((button) => button.getBoundingClientRect());
    const names = [...dialog.querySelectorAll('section p[id], section label[id]')];
    const rows = names.flatMap((name, index) => {
      const help = name.nextElementSibling;
      const next = names[index + 1];
      if (!help || !next) return [];
      const [nameBox, helpBox, nextBox] = [name, help, next].map((part) => part.getBoundingClientRect());
      return [
        {
          help: help.textContent,
          toName: (helpBox?.top ?? 0) - (nameBox?.bottom ?? 0),
          toNextRow: (nextBox?.top ?? 0) - (helpBox?.bottom ?? 0),
        },
      ];
    });
    dialog.style.overflowWrap = 'normal';
    const texts = [...dialog.querySelectorAll<HTMLElement>('p, label, li, h2, h3, button')];
    const broken = texts.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth && clientWidth > 0);
    const cutSelects = [...dialog.querySelectorAll('select')].filter((select) => {
      const room = select.offsetWidth;
      select.style.width = 'max-content';
      const isCut = select.offsetWidth > room;
      select.style.width = '';
      return isCut;
    });
    dialog.style.overflowWrap = '';
    return {
      rows,
      broken: [...broken, ...cutSelects].map(({ textContent }) => textContent),
      buttonSizes: buttons.map(({ width, height }) => `${width} × ${height}`),
    };
  });
