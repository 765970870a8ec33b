import type { Page } from 'playwright-core';

/**
 * Makes `page` what a browser makes of a tab that has been in the background for minutes: hidden, and with timers that go
 * off once a minute. A browser without windows, as it runs here, hides no tab by itself.
 */
export async function hideTab(page: Page): Promise<void> {
  await page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { value: true });
    Object.defineProperty(document, 'visibilityState', { value: 'hidden' });
    document.dispatchEvent(new Event('visibilitychange'));
    const minute = 60_000;
    const { setTimeout } = window;
    const throttled = (action: TimerHandler, milliseconds = 0) => setTimeout(action, Math.max(minute, milliseconds));
    Object.assign(window, { setTimeout: throttled });
  });
}
