import type { Page } from 'playwright-core';

/** Grants `page` access to the clipboard. Returns a function that reads its text. */
export async function openClipboard(page: Page): Promise<() => Promise<string>> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  return () => page.evaluate(() => navigator.clipboard.readText());
}
