import type { Page } from 'playwright-core';

/**
 * Makes `page` what a browser makes of a tab that has been in the background for minutes: hidden, and with timers that go
 * off once a minute. A browser without windows, as it runs here, hides no tab by itself.
 */
export async function hideTab(page: Page): Promise<void> {
  await showPage(page, false);
  await page.evaluate(() => {
    const minute = 60_000;
    const { setTimeout } = window;
    const throttled = (action: TimerHandler, milliseconds = 0) => setTimeout(action, Math.max(minute, milliseconds));
    Object.assign(window, { setTimeout: throttled });
  });
}

/** Has `page` hidden, or seen again. */
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
