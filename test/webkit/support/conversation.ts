import { button, field, keys, type Target, type WebDriverSession } from '../../support/webdriver.ts';

export const composer = field('Message');
export const stop = button(/^Stop/);
export const reply: Target = { selector: 'article[aria-label=Assistant]' };
export const saying = (words: string): Target => ({ selector: '[role=log] *', name: words });

export async function ask(page: WebDriverSession, question: string): Promise<void> {
  await page.type(composer, question);
  await page.press(keys.enter);
}

/** Waits until a live region says `words`. */
export const announced = (page: WebDriverSession, words: string) =>
  page.until(
    (words) => [...document.querySelectorAll('[role=status]')].some(({ textContent }) => textContent?.includes(words)),
    words,
  );

/** Waits until the page shows `words` in one element. */
export const shown = (page: WebDriverSession, words: string) =>
  page.until((words) => document.body.innerText.includes(words), words);

/** Returns the text of the last reply. */
export const lastReply = (page: WebDriverSession) =>
  page.evaluate(() => [...document.querySelectorAll('article[aria-label=Assistant]')].at(-1)?.textContent ?? '');
