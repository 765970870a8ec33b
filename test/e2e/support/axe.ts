import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Result } from 'axe-core';
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { engine } from './engine.ts';

const source = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
// axe runs its only rule of WCAG 2.2 only if it is enabled.
const options = JSON.stringify({
  runOnly: { type: 'tag', values: tags },
  rules: { 'target-size': { enabled: true } },
  resultTypes: ['violations', 'incomplete'],
  // Otherwise axe fetches style sheets and media, which no rule with these tags needs, and which fails offline.
  preload: false,
});

// Only one background depends on the size of the window, and it is the page's, so each size needs only one color scheme.
const windows = [
  { device: 'phone', size: { width: 390, height: 844 }, colorScheme: 'light' },
  { device: 'desktop', size: { width: 1280, height: 800 }, colorScheme: 'dark' },
] as const;

/**
 * Fails if axe finds anything on a page once `shown` is on it, or if the page scrolls sideways, on a phone in light and on a desktop in
 * dark. Does not check the page if the driver cannot set the color scheme, because axe finds the same in each engine.
 */
export async function expectAccessible(shown: Locator | Page, description: string): Promise<void> {
  const isPage = 'goto' in shown;
  if (!isPage) await shown.waitFor();
  if (engine.lacks.includes('media emulation')) return;
  const page = isPage ? shown : shown.page();
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(source);
  // axe cannot determine the background of elements that are covered by a sticky header, a dock or an open list, nor of
  // elements out of view, which are not laid out.
  const unstick = await page.evaluateHandle(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`
      .header, .dock, .combobox-list, .markdown thead th { position: static !important }
      .turn, .section, .plain { content-visibility: visible !important }`);
    document.adoptedStyleSheets.push(sheet);
    return sheet;
  });
  const violationTexts: string[] = [];
  for (const { device, size, colorScheme } of windows) {
    await page.setViewportSize(size);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    if (width > size.width) violationTexts.push(`${device}: the page is ${width} wide`);
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    // Only what axe found, because its whole result takes as long to transfer as the check itself.
    const found = await page.evaluate<Result[]>(
      `axe.run(document, ${options}).then(({ violations, incomplete }) => [...violations, ...incomplete])`,
    );
    for (const { id, nodes } of found) {
      violationTexts.push(
        ...nodes.map(({ html, failureSummary }) => `${device}, ${colorScheme}: ${id} ${html} ${failureSummary}`),
      );
    }
  }
  await unstick.evaluate((sheet) => sheet.replaceSync(''));
  expect(violationTexts, `axe on ${description}`).to.deep.equal([]);
}
