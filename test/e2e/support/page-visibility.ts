import type { Page } from 'playwright-core';

/** Fakes the visibility of `page`, because a headless browser never hides a tab. */
export async function setPageVisible(page: Page, isVisible: boolean): Promise<void> {
  await page.evaluate(
    (visibility) => {
      Object.defineProperty(document, 'hidden', { value: visibility === 'hidden', configurable: true });
      Object.defineProperty(document, 'visibilityState', { value: visibility, configurable: true });
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
    },
    isVisible ? 'visible' : 'hidden',
  );
}
