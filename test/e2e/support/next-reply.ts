import type { Page } from 'playwright-core';
import { routes } from '../../../shared/interface.ts';

/** The next reply to `page` as the service sends it, which is Markdown; the page shows what that means. */
export async function nextReplyTo(page: Page): Promise<string> {
  const response = await page.waitForResponse((candidate) =>
    [routes.liveChat, routes.demoChat].some((route) => candidate.url().endsWith(route)),
  );
  return response.text();
}
