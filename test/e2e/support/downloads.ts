import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';

/** Clicks on `button`, and returns the file that the browser then saves. */
export async function savedBy(page: Page, button: Locator) {
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
  const path = await download.path();
  return { name: download.suggestedFilename(), path, content: await readFile(path) };
}
