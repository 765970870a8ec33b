import process from 'node:process';
import { chromium } from 'playwright-core';
import { serveInProcess, temporaryDirectory } from '../../test/support/served-process.ts';
import { measureBundle } from '../client/bundle.ts';
import { measureCostOfWords } from '../client/cost-of-words.ts';
import { measureFirstLoad } from '../client/first-load.ts';
import { measureRendering } from '../client/rendering.ts';
import type { Measure } from './measure.ts';

/** The client, in a real Chromium (CHROMIUM_PATH, else /usr/bin/chromium). A first load that is too large fails the run. */
export const measureClient: Measure = async ({ rounds, say }) => {
  say('what a browser downloads');
  const { table: bundle, tooLarge } = await measureBundle();
  if (tooLarge) process.exitCode = 1;

  const data = await temporaryDirectory();
  const product = serveInProcess({ DATA_DIR: data.path, LOG_LEVEL: 'silent' });
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  });
  try {
    const url = await product.url;
    say('first loads');
    const firstLoad = await measureFirstLoad(browser, url, rounds);
    say('a reply of 20,000 words');
    const rendering = await measureRendering(browser, url);
    say('one more word');
    return [bundle, firstLoad, rendering, await measureCostOfWords(browser, url, rounds)];
  } finally {
    await browser.close();
    product.kill('SIGTERM');
    await product.exited;
    await data.remove();
  }
};
