import type { Page } from 'playwright-core';

/** The address of any conversation. */
export const conversationUrl = /\/c\/[\w-]+$/;

/** The list of conversations as it stands beside the open one. */
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
