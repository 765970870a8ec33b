import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import type { Language } from '../../../client/language/languages.ts';
import { atEndOfRun } from '../../support/end-of-run.ts';
import { engine } from './engine.ts';
import { collectPageErrors } from './page-errors.ts';
import { type Product, sharedProduct } from './product.ts';

let launched: Promise<Browser> | undefined;

/** Launches the browser that all tests of this process share, once; each test opens its own contexts. */
function launchBrowser(): Promise<Browser> {
  launched ??= engine.launch().then((browser) => {
    atEndOfRun(() => browser.close());
    return browser;
  });
  return launched;
}

/** Opens a new browser profile. The caller closes it. */
export async function openContext(options: BrowserContextOptions): Promise<BrowserContext> {
  const context = await (await launchBrowser()).newContext(options);
  await engine.prepare(context);
  return context;
}

export const phone = { viewport: { width: 390, height: 844 }, hasTouch: true } satisfies BrowserContextOptions;

declare global {
  interface Window {
    /** Returns the range of all that `node` contains, which measures text without the padding of its box. */
    contentsOf(node: Node): Range;
  }
}

function defineContentsOf(): void {
  window.contentsOf = (node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return range;
  };
}

const open: { context: BrowserContext; errors: string[] }[] = [];
let visitors = 0;

/** Opens the page at `path` as a new visitor. */
export async function visit(
  path: string,
  product?: Pick<Product, 'url'>,
  options?: BrowserContextOptions,
): Promise<Page> {
  const page = await openEmptyPage(product, options);
  await page.goto(path);
  return page;
}

/** Opens an empty page as a new visitor: in a new browser profile, and from an IP address that has exhausted no limit. */
export async function openEmptyPage(
  product?: Pick<Product, 'url'>,
  options: BrowserContextOptions = {},
): Promise<Page> {
  const { url } = product ?? (await sharedProduct());
  visitors += 1;
  const context = await openContext({
    baseURL: url,
    extraHTTPHeaders: { 'X-Forwarded-For': `10.0.${visitors >> 8}.${visitors & 255}` },
    viewport: { width: 1280, height: 800 },
    serviceWorkers: 'block',
    ...options,
  });
  await context.addInitScript(defineContentsOf);
  context.setDefaultTimeout(40_000);
  open.push({ context, errors: collectPageErrors(context, url) });
  return context.newPage();
}

/** Reloads `page` in a language that the user has chosen. */
export async function reloadIn(page: Page, language: Language): Promise<void> {
  await page.evaluate((chosen) => localStorage.setItem('advisory-chat:language', chosen), language);
  await page.reload();
}

/** Replaces the files of the client whose URL matches by code that fails. */
export async function breakCode(page: Page, url: RegExp): Promise<void> {
  await page.route(url, (route) => route.fulfill({ contentType: 'text/javascript', body: 'throw new Error()' }));
}

/** Returns all that `page` has in the two storages of its origin: nothing is `[{},{}]`. */
export function storedText(page: Page): Promise<string> {
  return page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
}

export async function freezeClock(page: Page): Promise<void> {
  const { clock } = page;
  await clock.install({ time: 0 });
  await clock.pauseAt(60_000);
}

/** Closes the visits of a test. Throws if `collectPageErrors` has found errors. */
export async function closeVisits(): Promise<void> {
  const visits = open.splice(0);
  for (const { context } of visits) await context.close();
  const errors = visits.flatMap((visit) => visit.errors);
  if (errors.length > 0) throw new Error(`Errors on the page:\n${errors.join('\n')}`);
}
