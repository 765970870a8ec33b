import type { Page } from 'playwright-core';

export const conversationUrl = /\/c\/[\w-]+$/;

export function listOn(page: Page) {
  const list = page.getByRole('navigation', { name: 'Conversations' });
  return {
    list,
    entries: list.getByRole('listitem'),
    titles: () => list.getByRole('link').locator('> :first-child').allTextContents(),
    /** The part of the list that scrolls below its header. */
    scroller: page.locator('.list-scroll').filter({ visible: true }),
    entry: (title: string) => list.getByRole('link', { name: title }),
    more: (title: string) => list.getByRole('button', { name: `More actions for “${title}”` }),
    async choose(title: string, item: string): Promise<void> {
      await list.getByRole('button', { name: `More actions for “${title}”` }).press('Enter');
      await list.getByRole('menuitem', { name: item, exact: true }).press('Enter');
    },
    create: list.getByRole('button', { name: 'New conversation' }),
    search: list.getByRole('searchbox', { name: 'Search conversations' }),
  };
}
