import type { Page } from 'playwright-core';

/** Uses the engine behind the browser's Ctrl+F. A match is selected and scrolled into view. */
export function findOn(page: Page, words: string): Promise<boolean> {
  return page.evaluate((words) => {
    getSelection()?.removeAllRanges();
    // Not part of the DOM standard, but of every browser.
    const { find } = window as typeof window & { find(words: string): boolean };
    return find.call(window, words);
  }, words);
}

/** Returns the distance of the selected text from the top of the window in pixels. */
export function selectionTopOn(page: Page): Promise<number | undefined> {
  return page.evaluate(() => getSelection()?.getRangeAt(0).getBoundingClientRect().top);
}
