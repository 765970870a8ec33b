import type { Browser, BrowserContext, Page } from 'playwright-core';
import { showSpread, spreadOf } from '../report/spread.ts';
import type { Table } from '../report/table.ts';

/** A telephone of some years ago on a mobile network: what page audits commonly assume. */
const slow = {
  cpu: { rate: 4 },
  network: { offline: false, latency: 150, downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8 },
};

type Load = { paintedMilliseconds: number; usableMilliseconds: number; blockedMilliseconds: number; bytes: number };

/** How long until a visitor can type the first question: with nothing cached, on a second visit, and on a slow device. */
export async function measureFirstLoad(browser: Browser, url: string, rounds: number): Promise<Table> {
  const loads: Record<string, Load[]> = {
    'first visit': [],
    'second visit': [],
    'first visit, slow device and network': [],
  };
  for (let round = 0; round <= rounds; round += 1) {
    const context = await browser.newContext({ baseURL: url });
    const taken = [await load(context), await load(context)];
    await context.close();
    const slowContext = await browser.newContext({ baseURL: url });
    taken.push(await load(slowContext, slowDown));
    await slowContext.close();
    // The first round warms the server up.
    if (round > 0) for (const [index, samples] of Object.values(loads).entries()) samples.push(taken[index] as Load);
  }
  return {
    heading: 'First load of the client',
    about:
      'Chromium, from the start of the navigation to the demo page: until something is painted, and until a message can be typed; ' +
      'by how much tasks went over 50 ms until then; and bytes over the wire. The slow device has a quarter of the processor, 1.6 Mbit/s and 150 ms of latency.',
    columns: ['', 'painted, ms', 'usable, ms', 'blocked, ms', 'kB'],
    rows: Object.entries(loads).map(([name, samples]) => [
      name,
      ...(['paintedMilliseconds', 'usableMilliseconds', 'blockedMilliseconds'] as const).map((figure) =>
        showSpread(spreadOf(samples.map((sample) => sample[figure])), 0),
      ),
      showSpread(spreadOf(samples.map(({ bytes }) => bytes / 1000)), 0),
    ]),
  };
}

async function load(context: BrowserContext, prepare?: (page: Page) => Promise<void>): Promise<Load> {
  const page = await context.newPage();
  await prepare?.(page);
  await page.addInitScript(() => {
    Object.assign(window, { longTasks: [] });
    const note = (list: PerformanceObserverEntryList) =>
      (window as unknown as { longTasks: PerformanceEntry[] }).longTasks.push(...list.getEntries());
    new PerformanceObserver(note).observe({ type: 'longtask', buffered: true });
  });
  await page.goto('/', { waitUntil: 'commit' });
  const message = page.getByRole('textbox', { name: 'Message' });
  await message.fill('Where do we start?');
  const measured = await page.evaluate(async () => {
    const usableMilliseconds = performance.now();
    // It may be reported a frame after it was painted.
    const paintedMilliseconds = await new Promise<number>((resolve) => {
      const note = (list: PerformanceObserverEntryList) => {
        for (const { startTime } of list.getEntriesByName('first-contentful-paint')) resolve(startTime);
      };
      new PerformanceObserver(note).observe({ type: 'paint', buffered: true });
    });
    const { longTasks } = window as unknown as { longTasks: PerformanceEntry[] };
    const downloads = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
    return {
      paintedMilliseconds,
      usableMilliseconds,
      blockedMilliseconds: longTasks.reduce((sum, { duration }) => sum + duration - 50, 0),
      bytes: downloads.reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).transferSize, 0),
    };
  });
  await page.close();
  return measured;
}

async function slowDown(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Network.enable');
  await devtools.send('Network.emulateNetworkConditions', slow.network);
  await devtools.send('Emulation.setCPUThrottlingRate', slow.cpu);
}
