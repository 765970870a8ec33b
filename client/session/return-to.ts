import { conversationPage, pages, routes } from '../../shared/interface.ts';
import type { ProviderName } from '../../shared/session.ts';

/** The sign-in page's address for someone who is to come back to `page`. */
export function signInAddress(page: string): string {
  return `${pages.signIn}?returnTo=${page}`;
}

/** Where a query string says to go after sign-in. Only our own pages are taken, so no address can lead off the site. */
export function returnTo(search: string): string {
  const wanted = new URLSearchParams(search).get('returnTo') ?? '';
  if (conversationPage.addresses.test(wanted)) return wanted;
  return Object.values(pages).find((page) => page === wanted) ?? pages.chat;
}

/** Where a sign-in at `provider` begins, for someone who is to come to `page`, and who may hold an invitation. */
export function providerAddress(provider: ProviderName, page: string, invitation?: string): string {
  const query = new URLSearchParams({ returnTo: page, ...(invitation !== undefined && { invitation }) });
  return `${routes.signIn}/${provider}?${query}`;
}
