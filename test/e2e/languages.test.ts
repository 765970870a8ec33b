import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Locator, Page } from 'playwright-core';
import { loadMessages } from '../../client/language/interface-language.ts';
import { type Language, languages, languageTags } from '../../client/language/languages.ts';
import { messages as english } from '../../client/language/messages/en.ts';
import { pages } from '../../shared/interface.ts';
import { expectAccessible } from './support/axe.ts';
import { answerWith, conversationOn } from './support/conversation.ts';
import { people } from './support/people.ts';
import { boxOf } from './support/rendering.ts';
import { openSettings, visitLiveChat } from './support/sign-in.ts';
import { visit } from './support/visit.ts';

/** Text that is Latin in every language: names of products, keys, units and file formats, and of the language English. */
const names = /Advisory Chat|Google|GitHub|Microsoft|Ctrl|Shift|Enter|Esc(ape)?|JSON|CSV|PDF|Markdown|MB|GB|English/g;

/**
 * Returns the visible text and accessible names of `page` that are not translated into `language`: English strings or, in
 * languages with another script, strings with Latin letters.
 */
async function untranslated(page: Page, language: Language): Promise<string[]> {
  const own = await loadMessages(language);
  const texts = await page.evaluate(() => {
    // Questions and replies are in the user's language, so their direction can differ from that of the page.
    const isOfTheInterface = (element: Element | null) =>
      element?.closest('[dir=auto], [lang]:not(html), bdi, .account, .menu > p, noscript, script') === null;
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const texts: string[] = [document.title];
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
      if (isOfTheInterface(node.parentElement)) texts.push(node.textContent ?? '');
    for (const element of document.querySelectorAll('[aria-label], [title], [placeholder]'))
      for (const name of ['aria-label', 'title', 'placeholder'])
        if (!element.matches('[data-turn], .entry *')) texts.push(element.getAttribute(name) ?? '');
    return texts.map((text) => text.trim());
  });
  const isEnglish = (text: string) => englishOnly(own).has(text);
  const isForeign = (text: string) => /[a-z]{2}/i.test(text.replaceAll(names, ''));
  const hasOwnLetters = language === 'ar' || language === 'ja';
  return texts.filter((text) => isEnglish(text) || (hasOwnLetters && isForeign(text)));
}

function englishOnly(own: object): Set<string> {
  const words = (messages: object) => Object.values(messages).flatMap((ofPart: object) => Object.values(ofPart));
  const ownWords = words(own);
  return new Set(words(english).filter((text, index) => text !== ownWords[index]));
}

const wide = { width: 1280, height: 800 };
const phone = { width: 390, height: 844 };
const narrowest = { width: 320, height: 640 };

/** These texts are the same in every language. */
const question = '1 + 1 = ?';
const reply = '2[^1]\n\n| 1 | 2 |\n|--|--:|\n| 3 | 4 |\n| 5 | 6 |\n\n```\n7\n```\n\n[^1]: 8\n\n9\n\n'.padEnd(
  400,
  '10\n\n',
);

const languageOf = (page: Page) => page.evaluate(() => [document.documentElement.lang, document.documentElement.dir]);

const areInOrder = async (language: Language, first: Locator, second: Locator) => {
  const [one, other] = [await boxOf(first), await boxOf(second)];
  return languages[language].direction === 'rtl' ? one.right > other.right : one.left < other.left;
};

const wrappedInHeader = (page: Page) =>
  page.locator('header > :first-child').evaluate((row) => {
    const { top, height } = row.getBoundingClientRect();
    const parts = [...row.children, ...row.querySelectorAll(':scope > :last-child > *')].filter(
      (part) => part.clientHeight > 0,
    );
    const isOff = (part: Element) => {
      const box = part.getBoundingClientRect();
      return Math.abs(box.top + box.height / 2 - top - height / 2) > 4;
    };
    const isBroken = (part: Element) => {
      const lines = new Set(Array.from(window.contentsOf(part).getClientRects(), (line) => Math.round(line.top)));
      return part.matches('.badge, .button') && lines.size > 1;
    };
    if (parts.length < 3) throw new Error('The header has fewer parts than expected.');
    return parts.filter((part) => isOff(part) || isBroken(part)).map(({ outerHTML }) => outerHTML);
  });

/** Returns whether the drawing points against the direction in which it was drawn. */
const isMirrored = (icon: Locator) => icon.evaluate((svg: SVGSVGElement) => (svg.getScreenCTM()?.a ?? 0) < 0);

/** Measures the message field and its placeholder, and returns which buttons are beside the field. */
const measureField = (page: Page) =>
  page.locator('textarea').evaluate((field: HTMLTextAreaElement) => {
    const { font, paddingInlineStart, paddingInlineEnd } = getComputedStyle(field);
    const canvas = document.createElement('canvas').getContext('2d');
    if (canvas === null) throw new Error('The browser draws no text.');
    canvas.font = font;
    const { bottom } = field.getBoundingClientRect();
    const buttons = [...(field.form?.querySelectorAll('button') ?? [])];
    return {
      room: field.clientWidth - Number.parseFloat(paddingInlineStart) - Number.parseFloat(paddingInlineEnd),
      words: canvas.measureText(field.placeholder).width,
      beside: buttons.map((button) => button.getBoundingClientRect().top < bottom),
    };
  });

describe('The interface in six languages', () => {
  it("uses the browser's language, leaves no word untranslated, and fits a phone with its header, message field and placeholder", async () => {
    const page = await visit(pages.demo, undefined, { locale: 'ar', hasTouch: true });
    await answerWith(page, reply);
    const arabic = await loadMessages('ar');
    await page.getByRole('heading', { level: 1, name: arabic.demo.heading }).waitFor();
    const suggestions = page.getByRole('list', { name: arabic.conversation.suggestions });
    expect(await isMirrored(suggestions.locator('svg').first())).to.equal(true);
    await page.getByRole('textbox', { name: arabic.composer.message }).fill(question);
    await page.getByRole('button', { name: arabic.composer.send, exact: true }).click();
    await page.getByRole('table').waitFor();
    await page.getByRole('button', { name: arabic.commands.settings }).click();

    for (const language of languageTags) {
      await page.setViewportSize(wide);
      await page.getByRole('dialog').getByRole('combobox').selectOption(language);
      const { commands, copying } = await loadMessages(language);
      await page.getByRole('dialog', { name: commands.settings }).waitFor();
      await page.getByRole('button', { name: copying.reply }).waitFor();
      expect(await languageOf(page)).to.deep.equal([language, languages[language].direction]);
      if (language !== 'en') expect(await untranslated(page, language), language).to.deep.equal([]);
      await page.setViewportSize(phone);
      expect(await wrappedInHeader(page), language).to.deep.equal([]);
      for (const size of [phone, narrowest]) {
        await page.setViewportSize(size);
        expect(await page.evaluate(() => document.documentElement.scrollWidth), language).to.equal(size.width);
      }
      const { room, words, beside } = await measureField(page);
      expect(words, language).to.be.within(1, room);
      expect(beside, language).to.deep.equal([false]);
    }
  });

  it('changes every word and its direction as soon as the setting changes, is accessible, and persists after a reload', async () => {
    const { page } = await visitLiveChat(people.onboarded);
    await answerWith(page, reply);
    const { exchange } = conversationOn(page);
    await exchange(question);
    await page.getByRole('table').waitFor();
    // A key press, because the rendered reply still moves the button, and a click on it could miss.
    await page.getByRole('button', { name: english.commands.tryAgain }).press('Enter');
    await page.getByRole('button', { name: english.versions.replyPrevious }).waitFor();
    const setting = page.getByRole('dialog').getByRole('combobox');

    for (const language of ['en', 'ar'] as const) {
      const { commands, composer, versions } = await loadMessages(language);
      await openSettings(page);
      await setting.selectOption(language);
      await page.getByRole('dialog', { name: commands.settings }).waitFor();
      if (language === 'ar') expect(await untranslated(page, language)).to.deep.equal([]);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });

      await page.setViewportSize(wide);
      const list = page.getByRole('navigation', { name: commands.conversations });
      const account = page.getByRole('banner').getByRole('button').last();
      const send = page.getByRole('button', { name: composer.send, exact: true });
      await list.waitFor();
      expect(await areInOrder(language, list, page.getByRole('main')), 'list and conversation').to.equal(true);
      expect(await areInOrder(language, page.getByRole('banner').getByRole('link'), account), 'header').to.equal(true);
      expect(await areInOrder(language, page.getByRole('textbox'), send), 'message field').to.equal(true);
      await page.setViewportSize(phone);
      expect(await wrappedInHeader(page)).to.deep.equal([]);
      for (const name of [commands.conversations, versions.replyPrevious, versions.replyNext]) {
        const icon = page.getByRole('button', { name, exact: true }).locator('svg');
        expect(await isMirrored(icon), name).to.equal(language === 'ar');
      }
    }
    await expectAccessible(page, 'live chat in Arabic');
    await page.reload();
    await page.getByRole('banner').getByRole('button').last().click();
    expect(await languageOf(page)).to.deep.equal(['ar', 'rtl']);
    await page.getByRole('menuitem').first().click();
    await setting.selectOption('');
    await page.getByRole('dialog', { name: 'Settings' }).waitFor();
    expect(await page.evaluate(() => document.documentElement.dir)).to.equal('ltr');
  });
});
