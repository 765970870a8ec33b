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
    /** The button of the menu of a conversation. */
    more: (title: string) => list.getByRole('button', { name: `More actions for “${title}”` }),
    /** Chooses an item of the menu of a conversation by keyboard. */
    async choose(title: string, item: string): Promise<void> {
      await list.getByRole('button', { name: `More actions for “${title}”` }).press('Enter');
      await list.getByRole('menuitem', { name: item, exact: true }).press('Enter');
    },
    create: list.getByRole('button', { name: 'New conversation' }),
    search: list.getByRole('searchbox', { name: 'Search conversations' }),
  };
}
