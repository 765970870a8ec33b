import type { Page } from 'playwright-core';
import { conversationOn } from './conversation.ts';

/** Holds back the Markdown chunk of `page`, like a slow network. Returns a function that releases it. */
export async function delayMarkdown(page: Page): Promise<() => void> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route(/markdown/, async (route) => {
    await released;
    await route.continue();
  });
  return release;
}

/** Types into the message field, which makes the page load the Markdown chunk, and waits for it. */
export async function loadMarkdown(page: Page): Promise<void> {
  const fetched = page.waitForResponse(/markdown/);
  await conversationOn(page).composer.fill('W');
  await (await fetched).finished();
}
