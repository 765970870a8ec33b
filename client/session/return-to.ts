import { pages } from '../../shared/interface.ts';

/** The sign-in page's address for someone who is to come back to `page`. */
export function signInAddress(page: string): string {
  return `${pages.signIn}?returnTo=${page}`;
}

/** Where a query string says to go after sign-in. Only our own pages are taken, so no address can lead off the site. */
export function returnTo(search: string): string {
  const wanted = new URLSearchParams(search).get('returnTo');
  return Object.values(pages).find((page) => page === wanted) ?? pages.chat;
}
