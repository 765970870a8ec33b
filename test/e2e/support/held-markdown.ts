import type { Page } from 'playwright-core';
import { conversationOn } from './conversation.ts';

/** From now on, keeps what shows Markdown from `page`, as a slow network does; call the result to let it through. */
export async function holdMarkdown(page: Page): Promise<() => void> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route(/markdown/, async (route) => {
    await released;
    await route.continue();
  });
  return release;
}

/** Goes to the message field of `page`, and waits for what shows Markdown: it is fetched then. */
export async function fetchMarkdown(page: Page): Promise<void> {
  const fetched = page.waitForResponse(/markdown/);
  await conversationOn(page).composer.fill('W');
  await (await fetched).finished();
}
