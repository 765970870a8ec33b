import { setTimeout as delay } from 'node:timers/promises';
import type { Site } from './site.ts';

/** One page, and what it needs: the names of the assets that did not come as they are. */
export type PageLoad = { status: number; build: string | undefined; missing: string[] };

/** Browsers that open a page again and again; what they need, they ask for a moment after the page. */
export async function loadPages(site: Site, browsers: number, over: AbortSignal): Promise<PageLoad[]> {
  const loads: PageLoad[] = [];
  const fetch = site.fetchWith({ Accept: 'text/html', 'Sec-Fetch-Dest': 'document' });

  async function load(): Promise<PageLoad> {
    const page = await fetch(`${site.url}/chat`);
    const text = await page.text();
    const assets = [...text.matchAll(/"(\/assets\/main-(\w+)\.\w+)"/g)];
    const missing: string[] = [];
    await delay(100);
    for (const [, path = '', build = ''] of assets) {
      const asset = await fetch(site.url + path);
      if (asset.status !== 200 || !(await asset.text()).includes(build)) missing.push(path);
    }
    return { status: page.status, build: assets[0]?.[2], missing };
  }

  async function browse(): Promise<void> {
    while (!over.aborted) {
      loads.push(await load());
      await delay(200);
    }
  }
  await Promise.all(Array.from({ length: browsers }, browse));
  return loads;
}
