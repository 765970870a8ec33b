import { pages, routes } from '../../../shared/interface.ts';
import { exampleOnboarding } from '../../support/example-onboarding.ts';
import { button, link, menuItem, type WebDriverSession } from '../../support/webdriver.ts';
import { composer } from './conversation.ts';
import type { Product } from './product.ts';

/** Signs in on the sign-in page with the Google account `who`, an e-mail address. */
export async function signIn(page: WebDriverSession, who: string): Promise<void> {
  await page.click(link(/^Continue with Google/));
  await page.click(button(new RegExp(who)));
}

export async function openLiveChat(page: WebDriverSession, { url }: Product, who = 'avery@example.com'): Promise<void> {
  await page.goto(url + pages.signIn);
  await signIn(page, who);
  await page.waitFor(button(/^Account:/));
  await page.evaluate(
    async (route, body) => {
      await fetch(route, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
    },
    routes.onboarding,
    JSON.stringify(exampleOnboarding),
  );
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
