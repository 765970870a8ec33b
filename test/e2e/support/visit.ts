import { afterEach } from 'mocha';
import type { BrowserContext, Page } from 'playwright-core';
import { launchedChromium } from './chromium.ts';
import { collectComplaints } from './complaints.ts';
import { type Product, sharedProduct } from './product.ts';

type VisitOptions = {
  product?: Product;
  /** Give the page a clock that the test winds on; it stands still once the page is there. */
  frozenClock?: boolean;
};

const open: { context: BrowserContext; complaints: string[] }[] = [];
let visitors = 0;

/** Opens a page of the product as somebody new: a fresh browser profile, at an address that has used up no limit. */
export async function visit(path: string, options: VisitOptions = {}): Promise<Page> {
  const { url } = options.product ?? (await sharedProduct());
  visitors += 1;
  const context = await (await launchedChromium()).newContext({
    baseURL: url,
    extraHTTPHeaders: { 'X-Forwarded-For': `192.0.2.${visitors}` },
    viewport: { width: 1280, height: 800 },
  });
  context.setDefaultTimeout(15_000);
  open.push({ context, complaints: await collectComplaints(context, url) });
  const page = await context.newPage();
  if (options.frozenClock) await page.clock.install({ time: 0 });
  await page.goto(path);
  if (options.frozenClock) await page.clock.pauseAt(60_000);
  return page;
}

afterEach(async () => {
  const visits = open.splice(0);
  for (const { context } of visits) await context.close();
  const complaints = visits.flatMap((visit) => visit.complaints);
  if (complaints.length > 0) throw new Error(`The browser complains:\n${complaints.join('\n')}`);
});
