import type { Browser } from 'playwright-core';
import type { Table } from '../report/table.ts';
import { watchFrames } from './watch-frames.ts';

const question = 'please write a long reply';

/**
 * What a reply of 20,000 words costs a reader's browser: the product as it starts where nothing is configured, asked for a
 * long reply, which the browser draws as fast as the stand-in says it.
 */
export async function measureRendering(browser: Browser, url: string): Promise<Table> {
  const page = await browser.newPage({ baseURL: url, viewport: { width: 1280, height: 800 } });
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable');
  const metrics = async () =>
    new Map((await devtools.send('Performance.getMetrics')).metrics.map(({ name, value }) => [name, value]));

  await page.goto('/');
  const message = page.getByRole('textbox', { name: 'Message' });
  await message.fill(question);
  // What shows Markdown is fetched when a person begins to type.
  await page.waitForLoadState('networkidle');

  const before = await metrics();
  const frames = await watchFrames(page);
  const startedAt = performance.now();
  const answered = page.waitForResponse(/\/api\/chat\/demo$/);
  await message.press('Enter');
  const finished = page.getByRole('status').filter({ hasText: 'Reply finished' });
  await finished.waitFor({ state: 'attached', timeout: 300_000 });
  const elapsed = performance.now() - startedAt;
  const drawn = await frames();
  const after = await metrics();

  const text = await (await answered).text();
  await page.close();
  const gained = (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0);
  const milliseconds = (name: string) => `${(gained(name) * 1000).toFixed(0)} ms`;
  const figures = {
    words: text.split(/\s+/).length,
    'from question to end': `${elapsed.toFixed(0)} ms`,
    ...drawn,
    'script time': milliseconds('ScriptDuration'),
    'layout time': milliseconds('LayoutDuration'),
    'style time': milliseconds('RecalcStyleDuration'),
    'script memory gained': `${(gained('JSHeapUsedSize') / 2 ** 20).toFixed(1)} MB`,
    'nodes gained': gained('Nodes'),
  };
  return {
    heading: 'A reply of 20,000 words in the browser',
    about: 'Drawn as fast as the offline model says it, once.',
    columns: ['', 'measured'],
    rows: Object.entries(figures).map(([name, figure]) => [name, String(figure)]),
  };
}
