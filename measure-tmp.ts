import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { loadConfig } from './server/config/config.ts';
import { createLogger } from './server/http/logger.ts';
import { start } from './server/start.ts';

const dataDirectory = await mkdtemp(join(tmpdir(), 'measure-'));
const { publicUrl: url, stop } = await start({
  config: loadConfig({ PORT: '0', DATA_DIR: dataDirectory, LOG_LEVEL: 'silent' }),
  logger: createLogger({ level: 'silent' }),
  root: import.meta.dirname,
  identity: { instance: 'm/1', version: '0.0.0' },
} as any);
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'] });

const para = (n: number) => `Paragraph ${n} says that the **lead time** is mostly waiting, and that a *queue* before the \`mill\` costs more than it seems to.`;
const words20k = Array.from({ length: 800 }, (_, n) => `${n % 10 === 0 ? `## Part ${n}\n\n` : ''}${para(n)}`).join('\n\n');
const table = `| Step | Why | Days | Cost |\n| --- | --- | ---: | ---: |\n${Array.from({ length: 2500 }, (_, n) => `| Step ${n} | because it waits for step ${n * 7} | ${n % 13} | ${n * 31} |`).join('\n')}`;
const list = Array.from({ length: 1500 }, (_, n) => `- Item ${n} is about the **queue** before step ${n}`).join('\n');
const turn = (q: string, reply: string) => ({ requestId: q, id: q, parentId: null, question: q, reply, ending: { type: 'done' }, askedAt: null });
const chain = (list: any[]) => list.map((t, i) => ({ ...t, parentId: i === 0 ? null : list[i - 1].id }));
const short = (n: number) => `Answer ${n}.\n\n${para(n)}\n\n- one\n- two **bold**\n- three\n\n${para(n + 1)}`;
const cases: Record<string, any[]> = {
  warm: [turn('q', 'a')],
  'empty-ish': [turn('q', 'a')],
  '20,000 words': [turn('q', words20k)],
  '300 turns': chain(Array.from({ length: 300 }, (_, n) => turn(`q${n}`, short(n)))),
  '1,000 turns': chain(Array.from({ length: 1000 }, (_, n) => turn(`q${n}`, short(n)))),
  '2,500 rows': [turn('q', table)],
  '1,500 items': [turn('q', list)],
};

async function observe(page: any, action: () => Promise<void>, settle = 4000) {
  const cdp = await page.context().newCDPSession(page);
  const events: any[] = [];
  cdp.on('Tracing.dataCollected', ({ value }: any) => events.push(...value));
  const done = new Promise<void>((r) => cdp.once('Tracing.tracingComplete', () => r()));
  await cdp.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { includedCategories: ['toplevel', 'devtools.timeline', 'disabled-by-default-devtools.timeline','blink.user_timing'] } });
  await action();
  await page.waitForTimeout(settle);
  await cdp.send('Tracing.end');
  await done;
  const names = new Map<string, string>();
  for (const e of events) if (e.name === 'thread_name') names.set(`${e.pid}:${e.tid}`, e.args.name);
  const main = events.filter((e) => e.ph === 'X' && e.name === 'RunTask' && names.get(`${e.pid}:${e.tid}`) === 'CrRendererMain');
  // the busiest renderer main
  const byPid = new Map<number, any[]>();
  for (const e of main) byPid.set(e.pid, [...(byPid.get(e.pid) ?? []), e]);
  const tasks = [...byPid.values()].sort((a, b) => b.reduce((s, e) => s + e.dur, 0) - a.reduce((s, e) => s + e.dur, 0))[0] ?? [];
  tasks.sort((a, b) => a.ts - b.ts);
  const marks = events.filter((e) => e.name === 'readable' && e.cat?.includes('user_timing'));
  const readableAt = marks[0]?.ts;
  const total = tasks.reduce((s, e) => s + e.dur, 0) / 1000;
  const until = readableAt === undefined ? NaN : tasks.filter((e) => e.ts < readableAt).reduce((s, e) => s + e.dur, 0) / 1000;
  const longest = tasks.map((e) => Math.round(e.dur / 1000)).sort((a, b) => b - a).slice(0, 6);
  return { total: Math.round(total), until: Math.round(until), longest };
}

const only = process.argv[2];
for (const [name, turns] of Object.entries(cases)) {
  if (only && name !== 'warm' && !name.includes(only)) continue;
  const context = await browser.newContext({ baseURL: url, viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  page.on('pageerror', (e) => console.log('pageerror', e.stack)); page.on('response', (r) => r.status() >= 400 && console.log(r.status(), r.url())); page.on('console', (m) => m.type()==='error' && console.log('console', m.text())); page.setDefaultTimeout(8000);
  await page.goto('/sign-in');
  await page.evaluate((record) => localStorage.setItem('advisory-chat:demo', record), JSON.stringify({ turns, shownId: turns.at(-1).id }));
  const key = await page.evaluate(() => Object.keys(localStorage).join());
  const opened = await observe(page, async () => {
    await page.goto('/');
    await page.locator('article').last().waitFor({state:'attached'}).catch(async (e) => { console.log(page.url(), await page.content()); throw e; });
    await page.evaluate(() => new Promise<void>((r) => requestAnimationFrame(() => setTimeout(() => { performance.mark('readable'); r(); }))));
  });
  console.log('open', name, key, JSON.stringify(opened), 'articles', await page.locator('article').count(), 'plain', await page.locator('.plain').count());
  if (turns.length === 1 && name !== 'warm') {
    // growing: the same text, 400 chars a frame
    await page.evaluate(() => localStorage.clear());
    await page.goto('/');
    await page.getByRole('textbox', { name: 'Message' }).fill('q');
    await page.waitForTimeout(500);
    const text = turns[0].reply;
    const grown = await observe(page, async () => {
      await page.evaluate(async (text: string) => {
        let c: any;
        const real = window.fetch;
        window.fetch = ((i: any, init: any) => String(i).includes('chat') ? Promise.resolve(new Response(new ReadableStream({ start(x) { c = x; } }), { headers: { 'Content-Type': 'text/plain' } })) : real(i, init)) as any;
        document.querySelector<HTMLFormElement>('form.composer')!.requestSubmit();
        while (!c) await new Promise((r) => setTimeout(r, 10));
        const e = new TextEncoder();
        const step = Math.ceil(text.length / 250);
        for (let n = 0; n < text.length; n += step) { c.enqueue(e.encode(text.slice(n, n + step))); await new Promise((r) => requestAnimationFrame(r)); }
        c.close();
      }, text);
    }, 1500);
    console.log('grow', name, JSON.stringify(grown));
  }
  await context.close();
}
await browser.close();
await stop();
process.exit(0);
