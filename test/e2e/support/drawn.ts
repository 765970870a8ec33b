import type { Locator, Page } from 'playwright-core';

/**
 * Waits until `page` shows what has come of all that happened so far: a frame tells of a scroll or a new size, the tasks
 * behind it draw what follows from that, and the next frame shows it.
 */
export async function drawn(page: Page): Promise<void> {
  await page.evaluate(async () => {
    for (let frames = 0; frames < 2; frames += 1) {
      await new Promise(requestAnimationFrame);
      await new Promise((done) => setTimeout(done));
    }
  });
}

/** How far `locator` stands from the top of the window, in pixels. */
export function topOf(locator: Locator): Promise<number> {
  return locator.evaluate((element) => element.getBoundingClientRect().top);
}

/** How far `locator` is below the header, in pixels. */
export async function belowHeader(locator: Locator): Promise<number> {
  const header = await locator.page().getByRole('banner').boundingBox();
  return (await topOf(locator)) - (header?.height ?? 0);
}
