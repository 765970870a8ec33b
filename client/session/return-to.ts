import { conversationPage, pages, routes } from '../../shared/interface.ts';
import type { ProviderName } from '../../shared/session.ts';

/** The address of the sign-in page that leads back to `page`. */
export function signInAddress(page: string): string {
  return `${pages.signIn}?returnTo=${page}`;
}

/** Where a query string says to go after sign-in. Only our own pages are taken, so no address can lead off the site. */
export function returnTo(search: string): string {
  const wanted = new URLSearchParams(search).get('returnTo') ?? '';
  if (conversationPage.addresses.test(wanted)) return wanted;
  return Object.values(pages).find((page) => page === wanted) ?? pages.chat;
}

/** The address where a sign-in at `provider` begins. It leads to `page` and carries the invitation, if there is one. */
export function providerAddress(provider: ProviderName, page: string, invitation?: string): string {
  const query = new URLSearchParams({ returnTo: page, ...(invitation !== undefined && { invitation }) });
  return `${routes.signIn}/${provider}?${query}`;
}
