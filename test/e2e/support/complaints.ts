import type { BrowserContext, ConsoleMessage } from 'playwright-core';
import { routes } from '../../../shared/interface.ts';

/** The emulated sign-in providers: pages of another product, at loopback's other name. */
const emulators = '127.0.0.1';

/**
 * Collects what must not happen on any page of the product at `url`: errors and warnings on the console, uncaught
 * errors, violations of the Content-Security-Policy, and requests to hosts other than the product and the emulators.
 */
export async function collectComplaints(context: BrowserContext, url: string): Promise<string[]> {
  const complaints: string[] = [];
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
      console.error(`The Content-Security-Policy forbids this: ${violatedDirective} ${blockedURI}`);
    });
  });
  context.on('console', (message) => {
    const isBad = message.type() === 'error' || message.type() === 'warning';
    if (isBad && !isRefusedRequest(message) && hostnameOf(message.page()?.url()) !== emulators) {
      complaints.push(`${message.type()}: ${message.text()}`);
    }
  });
  context.on('weberror', (error) => complaints.push(`uncaught: ${error.error().message}`));
  context.on('request', (request) => {
    const { origin, hostname } = new URL(request.url());
    if (origin !== url && hostname !== emulators) complaints.push(`request: ${request.url()}`);
  });
  return complaints;
}

/** The browser itself notes every error status on the console. What the client makes of them is what the tests are about. */
function isRefusedRequest(message: ConsoleMessage): boolean {
  if (!message.text().startsWith('Failed to load resource:')) return false;
  const { pathname } = new URL(message.location().url);
  return [routes.liveChat, routes.demoChat, routes.onboarding].some((route) => route === pathname);
}

function hostnameOf(address: string | undefined): string | undefined {
  return address === undefined || !URL.canParse(address) ? undefined : new URL(address).hostname;
}
