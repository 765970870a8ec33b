import type { Page } from 'playwright-core';
import { routes } from '../../../shared/interface.ts';

/** Counts from now on how often `page` sends a turn. */
export function countAttempts(page: Page): () => number {
  let attempts = 0;
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname === routes.demoChat || pathname === routes.liveChat) attempts += 1;
  });
  return () => attempts;
}
