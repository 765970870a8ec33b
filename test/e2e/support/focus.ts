import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { untilRendered } from './rendering.ts';

type FocusStep = { name: string; isMarked: boolean; isUncovered: boolean };

const maxPresses = 40;

export const isFocused = (locator: Locator) => locator.evaluate((element) => element === document.activeElement);

/**
 * Presses `key` until `control` has the focus. The key must not lead past the end of the page, because Firefox then moves the focus
 * to its toolbar, and no focus in the page is visible.
 */
export async function tabTo(page: Page, control: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await control.waitFor();
  for (let presses = 0; presses < maxPresses; presses += 1) {
    if (await isFocused(control)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${key} does not lead to ${control}.`);
}

/**
 * Tabs through `page` to its end, or to the 40th stop. Fails if there are fewer than `count` stops, or if the focus is invisible at one.
 * Works only once per page, because the focus does not return from Firefox's toolbar.
 */
export async function expectFocusVisible(page: Page, count: number): Promise<void> {
  const steps: FocusStep[] = [];
  while (steps.length < maxPresses) {
    await page.keyboard.press('Tab');
    const step = await readFocus(page);
    if (step === undefined) break;
    steps.push(step);
  }
  expect(steps.length).to.be.at.least(count);
  expect(steps.filter(({ isMarked, isUncovered }) => !isMarked || !isUncovered)).to.deep.equal([]);
}

/** Returns the name of the focused element, whether it has an outline, and whether its top, middle and bottom are unobscured. */
export async function readFocus(page: Page): Promise<FocusStep | undefined> {
  await untilRendered(page);
  return page.evaluate(() => {
    const { activeElement } = document;
    if (activeElement === null || activeElement === document.body) return undefined;
    const marked = activeElement.closest('.composer-box:has(textarea:focus)') ?? activeElement;
    const { outlineStyle, outlineWidth } = getComputedStyle(marked);
    const { left, top, bottom, width, height } = activeElement.getBoundingClientRect();
    const isShownAt = (y: number) => {
      const topmost = document.elementFromPoint(left + width / 2, y);
      return topmost !== null && (activeElement.contains(topmost) || topmost.contains(activeElement));
    };
    return {
      name: activeElement.getAttribute('aria-label') ?? activeElement.textContent?.trim() ?? '',
      isMarked: outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1,
      isUncovered: [top + 1, top + height / 2, bottom - 1].every(isShownAt),
    };
  });
}
