import type { Page } from 'playwright-core';

/** From now on, keeps what shows Markdown from `page`, as a slow network does; call the result to let it through. */
export async function holdMarkdown(page: Page): Promise<() => void> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route(/markdown/, async (route) => {
    await released;
    await route.continue();
  });
  return release;
}
