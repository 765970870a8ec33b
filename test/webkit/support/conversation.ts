import type { Turn } from '../../../client/chat/turn.ts';
import { deviceKeys } from '../../../client/device/device-storage.ts';
import { pages } from '../../../shared/interface.ts';
import { record } from '../../client/chat/turns.ts';
import { button, field, keys, type WebDriverSession } from '../../support/webdriver.ts';
import type { Product } from './product.ts';

export const composer = field('Message');
export const stop = button('Stop');

export async function ask(page: WebDriverSession, question: string): Promise<void> {
  await page.type(composer, question);
  await page.press(keys.enter);
}

export const untilAnnounced = (page: WebDriverSession, words: string) =>
  page.until(
    (words) => [...document.querySelectorAll('[role=status]')].some(({ textContent }) => textContent?.includes(words)),
    words,
  );

export const untilShown = (page: WebDriverSession, words: string) =>
  page.until((words) => document.body.innerText.includes(words), words);

export const untilHidden = (page: WebDriverSession, words: string) =>
  page.until((words) => !document.body.innerText.includes(words), words);

export const questions = (page: WebDriverSession) =>
  page.evaluate(() => [...document.querySelectorAll('article[aria-label=You]')].map(({ textContent }) => textContent));

export const replies = (page: WebDriverSession) =>
  page.evaluate(() =>
    [...document.querySelectorAll('article[aria-label=Assistant]')].map(({ textContent }) => textContent),
  );

export const draft = (page: WebDriverSession) => page.evaluate(() => document.querySelector('textarea')?.value);

/** Opens the demo with only `turns` stored on the device. Each turn follows the previous one. */
export async function openDemo(page: WebDriverSession, { url }: Product, turns: readonly Turn[] = []): Promise<void> {
  await page.goto(url + pages.signIn);
  await page.evaluate(
    (key, text) => {
      localStorage.clear();
      sessionStorage.clear();
      localStorage.setItem(key, text);
    },
    deviceKeys.demo,
    JSON.stringify(record(...turns)),
  );
  await page.goto(url + pages.demo);
  await page.waitFor(composer);
}

export async function exchange(
  page: WebDriverSession,
  product: Product,
  question: string,
  reply: string,
): Promise<void> {
  product.replyWith(reply);
  await ask(page, question);
  await untilAnnounced(page, 'Reply finished');
  await untilShown(page, reply.slice(-20));
}
