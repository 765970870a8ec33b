import type { Page } from 'playwright-core';

/** Makes `page` visible or hidden. A browser without windows, as it runs here, hides no tab by itself. */
export async function showPage(page: Page, isSeen: boolean): Promise<void> {
  await page.evaluate(
    (visibility) => {
      Object.defineProperty(document, 'hidden', { value: visibility === 'hidden', configurable: true });
      Object.defineProperty(document, 'visibilityState', { value: visibility, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    },
    isSeen ? 'visible' : 'hidden',
  );
}
