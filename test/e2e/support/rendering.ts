import type { Locator, Page } from 'playwright-core';
import { eventually } from '../../support/eventually.ts';

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

/** Resolves once `locator` is shown and its page has rendered the effects of all previous events. */
export async function untilShown(locator: Locator): Promise<void> {
  await locator.waitFor();
  await untilRendered(locator.page());
}

/** Sets the size of the window, and resolves once the page is laid out for it. */
export async function resize(page: Page, width: number, height = 800): Promise<void> {
  await page.setViewportSize({ width, height });
  await untilRendered(page);
}

/** Returns the edges and the size of `locator` in the window. React can replace an element before it is measured: it then has no box. */
export function boxOf(locator: Locator) {
  return eventually(async () => {
    const box = await locator.boundingBox();
    if (box === null) return undefined;
    const { x: left, y: top, width, height } = box;
    return { left, top, right: left + width, bottom: top + height, width, height };
  });
}

export function topOf(locator: Locator): Promise<number> {
  return locator.evaluate((element) => element.getBoundingClientRect().top);
}

export async function distanceBelowHeader(locator: Locator): Promise<number> {
  const header = await boxOf(locator.page().getByRole('banner'));
  return (await topOf(locator)) - header.height;
}
