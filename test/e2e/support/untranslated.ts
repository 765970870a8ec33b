import type { Page } from 'playwright-core';
import type { Language } from '../../../client/language/languages.ts';
import { messages as english } from '../../../client/language/messages/en.ts';
import { loadMessages } from '../../../client/language/messages.ts';

/** What is written in Latin letters in every language: names, and what a key, a unit or a file format is called. */
const names = /Advisory Chat|Google|GitHub|Microsoft|Ctrl|Shift|Enter|Esc(ape)?|JSON|CSV|PDF|Markdown|MB|GB|English/g;

/** What a person sees and hears on `page` of the interface in `language` that is in English, or in letters of English. */
export async function untranslated(page: Page, language: Language): Promise<string[]> {
  const own = await loadMessages(language);
  const said = await page.evaluate(() => {
    // What people and the model say is in their own language: it has a direction of its own.
    const isOfTheInterface = (element: Element | null) =>
      element?.closest('[dir=auto], [lang]:not(html), bdi, .account, .account-menu > p, noscript') === null;
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
  return said.filter((text) => isEnglish(text) || (hasOwnLetters && isForeign(text)));
}

/** The English words that are others in `own`. */
function englishOnly(own: typeof english): Set<string> {
  const words = (messages: object) => Object.values(messages).flatMap((ofPart: object) => Object.values(ofPart));
  const ownWords = words(own);
  return new Set(words(english).filter((text, index) => text !== ownWords[index]));
}
