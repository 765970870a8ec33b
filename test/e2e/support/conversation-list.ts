import type { Page } from 'playwright-core';

/** The URL of a conversation. */
export const conversationUrl = /\/c\/[\w-]+$/;

/** Returns the list of conversations in the sidebar. */
export function listOn(page: Page) {
  const list = page.getByRole('navigation', { name: 'Conversations' });
  return {
    list,
    entries: list.getByRole('listitem'),
    titles: () => list.locator('.entry-title').allTextContents(),
    entry: (title: string) => list.getByRole('link', { name: title }),
    create: list.getByRole('button', { name: 'New conversation' }),
    search: list.getByRole('searchbox', { name: 'Search conversations' }),
  };
}
