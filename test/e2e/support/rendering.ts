import type { Locator, Page } from 'playwright-core';

/**
 * Resolves once `page` has rendered the effects of all previous events: a frame fires scroll and resize events, the
 * following task renders what depends on them, and the second frame paints it.
 */
export async function untilRendered(page: Page): Promise<void> {
  await page.evaluate(async () => {
    for (let frames = 0; frames < 2; frames += 1) {
      await new Promise(requestAnimationFrame);
      await new Promise((done) => setTimeout(done));
    }
  });
}

export function topOf(locator: Locator): Promise<number> {
  return locator.evaluate((element) => element.getBoundingClientRect().top);
}

export async function distanceBelowHeader(locator: Locator): Promise<number> {
  const header = await locator.page().getByRole('banner').boundingBox();
  return (await topOf(locator)) - (header?.height ?? 0);
}
