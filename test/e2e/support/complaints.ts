import type { BrowserContext, ConsoleMessage, Page } from 'playwright-core';
import { routes } from '../../../shared/interface.ts';

/** The note of Playwright, by which `visit` blocks service workers: a test that replaces answers sees every request of its page. */
const blockedServiceWorker = 'Service Worker registration blocked by Playwright';

/** The emulated sign-in providers: pages of another product, at loopback's other name. */
const emulators = '127.0.0.1';

/**
 * Collects what must not happen on any page of the product at `url`: errors and warnings on the console, uncaught
 * errors, violations of the Content-Security-Policy, and requests to other hosts than the product and the emulators.
 */
export function collectComplaints(context: BrowserContext, url: string): string[] {
  const complaints: string[] = [];
  context.on('weberror', (event) => {
    if (isOurs(event.page())) complaints.push(`uncaught: ${event.error().message}`);
  });
  context.on('console', (message) => {
    const isComplaint = message.type() === 'error' || message.type() === 'warning';
    if (message.text() === blockedServiceWorker) return;
    if (isComplaint && isOurs(message.page()) && !isRefusal(message)) complaints.push(message.text());
  });
  context.on('request', (request) => {
    const { origin, hostname } = new URL(request.url());
    if (origin !== url && hostname !== emulators) complaints.push(`a request to ${request.url()}`);
  });
  return complaints;
}

function isOurs(page: Page | null): boolean {
  return page === null || !URL.canParse(page.url()) || new URL(page.url()).hostname !== emulators;
}

/** An address that no page has. */
export const mistyped = '/nowhere';

/** The browser itself notes every error status on the console; what the client makes of these is what the tests are about. */
function isRefusal(message: ConsoleMessage): boolean {
  if (!message.text().startsWith('Failed to load resource:')) return false;
  // A test has stopped the product or gone offline, while its page fetches the other pages beforehand.
  if (/net::ERR_(?:CONNECTION_REFUSED|INTERNET_DISCONNECTED)$/.test(message.text())) return true;
  const { pathname } = new URL(message.location().url);
  const { liveChat, demoChat, session, join, onboarding, signOut, signOutEverywhere } = routes;
  return [liveChat, demoChat, session, join, onboarding, signOut, signOutEverywhere, mistyped].some(
    (route) => route === pathname,
  );
}
