import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { loadConfig } from '../server/config/config.ts';
import { createLogger } from '../server/http/logger.ts';
import { start } from '../server/start.ts';
import { costOfDeltas } from './cost-of-deltas.ts';
import { watchFrames } from './watch-frames.ts';

/*
 * What a reply of 20,000 words costs a reader's browser: the product as it starts where nothing is configured, asked for a
 * long reply in a real Chromium, which draws it as fast as the stand-in says it. Run with `node bench/rendering.ts`;
 * CHROMIUM_PATH names the browser.
 */

const question = 'please write a long reply';

const directory = await mkdtemp(join(tmpdir(), 'advisory-chat-bench-'));
const product = await start({
  config: loadConfig({ PORT: '0', DATA_DIR: directory, LOG_LEVEL: 'silent' }),
  logger: createLogger({ level: 'silent' }),
  root: fileURLToPath(new URL('..', import.meta.url)),
});
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});

try {
  const page = await browser.newPage({ baseURL: product.publicUrl, viewport: { width: 1280, height: 800 } });
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
    ...costOfDeltas(text),
  };
  for (const [name, figure] of Object.entries(figures)) process.stdout.write(`${name.padEnd(40)}${figure}\n`);
} finally {
  await browser.close();
  await product.stop();
  await rm(directory, { recursive: true });
}
