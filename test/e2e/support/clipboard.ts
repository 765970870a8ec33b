import type { Page } from 'playwright-core';

/** Lets `page` use the clipboard; call the result to read what is on it. */
export async function openClipboard(page: Page): Promise<() => Promise<string>> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  return () => page.evaluate(() => navigator.clipboard.readText());
}
