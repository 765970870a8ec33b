import { conversationPage, pages, routes } from '../../shared/interface.ts';
import type { ProviderName } from '../../shared/session.ts';

export function signInUrl(page: string): string {
  return `${pages.signIn}?returnTo=${page}`;
}

/** Returns the page to open after onboarding, which is never the onboarding page itself. */
export function readReturnToAfterOnboarding(search: string): string {
  const page = readReturnTo(search);
  return page === pages.onboarding ? pages.chat : page;
}

/** Returns the page to open after sign-in. Accepts the application's own pages only, to prevent open redirects. */
export function readReturnTo(search: string): string {
  const target = new URLSearchParams(search).get('returnTo') ?? '';
  if (conversationPage.pattern.test(target)) return target;
  return Object.values(pages).find((page) => page === target) ?? pages.chat;
}

export function providerUrl(provider: ProviderName, page: string, invitation?: string): string {
  const query = new URLSearchParams({ returnTo: page, ...(invitation !== undefined && { invitation }) });
  return `${routes.signIn}/${provider}?${query}`;
}
