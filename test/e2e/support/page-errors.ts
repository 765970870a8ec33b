import type { BrowserContext, ConsoleMessage, Page } from 'playwright-core';
import { routes } from '../../../shared/interface.ts';

/** Playwright's message when it blocks a service worker. `visit` blocks them by default, so that tests can intercept every request. */
const blockedServiceWorker = 'Service Worker registration blocked by Playwright';

/** The host of the emulated sign-in providers, whose pages are not part of the product. */
const emulators = '127.0.0.1';

/**
 * Collects what must not occur on any page of the product at `url`: console errors and warnings, uncaught errors,
 * violations of the Content-Security-Policy, and requests to other hosts than the product and the emulators.
 */
export function collectPageErrors(context: BrowserContext, url: string): string[] {
  const errors: string[] = [];
  context.on('weberror', (event) => {
    if (isOurs(event.page())) errors.push(`uncaught: ${event.error().message}`);
  });
  context.on('console', (message) => {
    const isProblem = message.type() === 'error' || message.type() === 'warning';
    if (message.text() === blockedServiceWorker) return;
    if (isProblem && isOurs(message.page()) && !isRefusal(message)) errors.push(message.text());
  });
  context.on('request', (request) => {
    const { origin, hostname } = new URL(request.url());
    if (origin !== url && hostname !== emulators) errors.push(`a request to ${request.url()}`);
  });
  return errors;
}

function isOurs(page: Page | null): boolean {
  return page === null || !URL.canParse(page.url()) || new URL(page.url()).hostname !== emulators;
}

export const unknownPath = '/nowhere';

/** Tests check how the client handles the error responses of routes, which browsers log on the console. */
function isRefusal(message: ConsoleMessage): boolean {
  if (!message.text().startsWith('Failed to load resource:')) return false;
  // Pages prefetch the code of other pages, even after a test has stopped the product or gone offline.
  if (/net::ERR_(?:CONNECTION_REFUSED|INTERNET_DISCONNECTED)$/.test(message.text())) return true;
  const { pathname } = new URL(message.location().url);
  const { liveChat, demoChat, session, join, onboarding, signOut, signOutEverywhere } = routes;
  return [liveChat, demoChat, session, join, onboarding, signOut, signOutEverywhere, unknownPath].some(
    (route) => route === pathname,
  );
}
