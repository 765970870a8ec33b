import type { Page } from 'playwright-core';
import { conversationOn } from './conversation.ts';

/** The URL of the Markdown chunk, without its style sheet. */
export const markdownChunk = /markdown-[^/]+\.js$/;

/** Holds back the Markdown chunk of `page`, like a slow network. Returns a function that releases it. */
export async function delayMarkdown(page: Page): Promise<() => void> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route(markdownChunk, async (route) => {
    await released;
    await route.continue();
  });
  return release;
}

/** Types into the message field, which makes the page load the Markdown chunk, and waits for it. */
export async function loadMarkdown(page: Page): Promise<void> {
  const fetched = page.waitForResponse(markdownChunk);
  await conversationOn(page).composer.fill('W');
  await (await fetched).finished();
}
