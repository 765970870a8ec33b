import { pages, routes } from '../../../shared/interface.ts';
import { button, link, menuItem, type WebDriverSession } from '../../support/webdriver.ts';
import { composer } from './conversation.ts';
import type { Product } from './product.ts';

/** Signs in on the sign-in page with the Google account `who`, an e-mail address. */
export async function signIn(page: WebDriverSession, who: string): Promise<void> {
  await page.click(link(/^Continue with Google/));
  await page.click(button(new RegExp(who)));
}

/** Opens live chat as a signed-in user who has completed onboarding. */
export async function openLiveChat(page: WebDriverSession, { url, person }: Product): Promise<void> {
  const { cookie } = await person();
  await page.goto(url + routes.session);
  await page.addCookie(cookie);
  await page.goto(url + pages.chat);
  await page.waitFor(composer);
}

export async function signOut(page: WebDriverSession): Promise<void> {
  await page.click(button(/^Account:/));
  await page.click(menuItem('Sign out'));
}

export async function choose(page: WebDriverSession, title: string, item: string): Promise<void> {
  await page.click(button(`More actions for “${title}”`));
  await page.click(menuItem(item));
}

const untilListHasReply = (page: WebDriverSession, isInProgress: boolean) =>
  page.until(
    (isInProgress) =>
      [...document.querySelectorAll('nav li')].some((entry) => entry.textContent?.includes('Reply in progress')) ===
      isInProgress,
    isInProgress,
  );

export const untilReplyIsListed = (page: WebDriverSession) => untilListHasReply(page, true);
export const untilNoReplyIsListed = (page: WebDriverSession) => untilListHasReply(page, false);

/** Resolves once exactly the conversations with these titles are listed, in this order. */
export const untilListed = (page: WebDriverSession, ...titles: string[]) =>
  page.until((titles) => {
    const entries = [...document.querySelectorAll('nav li a')];
    return (
      entries.length === titles.length && entries.every((entry, at) => entry.textContent?.includes(titles[at] ?? ''))
    );
  }, titles);
