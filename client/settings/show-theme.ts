import type { Settings } from './settings.ts';

/** Draws the page in `theme`, and lets the browser draw its own part around the page alike. */
export function showTheme(page: Document, theme: Settings['theme']): void {
  page.documentElement.dataset.theme = theme;
  for (const meta of page.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]')) {
    const { scheme } = meta.dataset;
    if (theme === 'system') meta.media = `(prefers-color-scheme: ${scheme})`;
    else meta.media = scheme === theme ? 'all' : 'not all';
  }
}
