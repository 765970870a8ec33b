import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { routes } from '../../shared/interface.ts';
import { showSpread, spreadOf } from '../report/spread.ts';
import type { Table } from '../report/table.ts';

/** How many words of the reply stand there when those that are measured begin to come. */
const earlierWords = [0, 2_000, 20_000];
const measuredWords = 300;
const millisecondsBetweenWords = 20;

const figures = ['TaskDuration', 'ScriptDuration', 'LayoutDuration', 'RecalcStyleDuration'] as const;

/**
 * What one more word costs a reader's browser, in the whole page, by how many words stand before it: the client that is
 * served at `url`, with a reply of which so much comes at once and the rest word by word.
 */
export async function measureCostOfWords(browser: Browser, url: string, rounds: number): Promise<Table> {
  const replies = await serveReplies();
  const samples = earlierWords.map(() => figures.map((): number[] => []));
  try {
    for (let round = 0; round <= rounds; round += 1) {
      for (const [index, earlier] of earlierWords.entries()) {
        const costs = await costOfWords(browser, url, replies, earlier);
        // The first round warms the server up.
        if (round > 0) for (const [place, cost] of costs.entries()) samples[index]?.[place]?.push(cost);
      }
    }
  } finally {
    replies.close();
  }
  return {
    heading: 'One more word in the browser',
    about:
      `${measuredWords} words of a reply, one every ${millisecondsBetweenWords} ms, by how many stand before them: what each takes of ` +
      'the page’s main thread, with reading, drawing and keeping it, and of that scripts, layout and styles.',
    columns: ['words before', 'in all, ms', 'scripts, ms', 'layout, ms', 'styles, ms'],
    rows: earlierWords.map((earlier, index) => [
      earlier.toLocaleString('en'),
      ...(samples[index] ?? []).map((sample) => showSpread(spreadOf(sample), 2)),
    ]),
  };
}

/** Milliseconds for each of the measured words, in the order of `figures`. */
async function costOfWords(browser: Browser, url: string, replies: Replies, earlier: number): Promise<number[]> {
  const page = await browser.newPage({ baseURL: url, viewport: { width: 1280, height: 800 } });
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable');
  const read = async () => {
    const { metrics } = await devtools.send('Performance.getMetrics');
    return figures.map((figure) => metrics.find(({ name }) => name === figure)?.value ?? 0);
  };
  await page.route(`**${routes.demoChat}`, (route) => route.continue({ url: `${replies.url}${earlier}` }));
  await page.goto('/');
  const message = page.getByRole('textbox', { name: 'Message' });
  await message.fill('What do the interviews say?');
  // What shows Markdown is fetched when a person begins to type.
  await page.waitForLoadState('networkidle');

  const begun = replies.next();
  await message.press('Enter');
  // Nothing looks into the page meanwhile: that would cost more, the longer the reply is.
  const { written } = await begun;
  const before = await read();
  await written;
  const after = await read();
  await page.close();
  return after.map((value, index) => ((value - (before[index] ?? 0)) * 1000) / measuredWords);
}

type Replies = Awaited<ReturnType<typeof serveReplies>>;

/** Replies of as many words as their path says, at once, and a second later the measured ones, each by itself. */
async function serveReplies() {
  let next = Promise.withResolvers<{ written: Promise<void> }>();
  const server = createServer(async ({ url = '/' }, response) => {
    const words =
      textOf(measuredWords)
        .match(/\S+\s*/g)
        ?.slice(0, measuredWords) ?? [];
    response.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8' });
    response.write(textOf(Number(url.slice(1))) || '\n');
    await sleep(1000);
    const { promise: written, resolve } = Promise.withResolvers<void>();
    next.resolve({ written });
    for (const word of words) {
      response.write(word);
      await sleep(millisecondsBetweenWords);
    }
    resolve();
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    /** Resolves when the measured words of the next reply begin; `written`, when all of them have been written. */
    next(): Promise<{ written: Promise<void> }> {
      next = Promise.withResolvers();
      return next.promise;
    },
    close: () => server.close(),
  };
}

/** A text of about so many words, as replies are: headings, paragraphs, lists and some code. */
function textOf(words: number): string {
  const section = [
    '## What the interviews say',
    'Seven of the **nine** people who left in spring named the *first month* as what decided it, and five of them named the same two weeks: nobody had told them who would answer their questions, and the `onboarding` page led nowhere.',
    '- the first invoice came before the first call\n- the second call was moved twice, once without a word\n- nobody asked why',
    'What follows from that is a guess until somebody has looked at the other two. It would be worth the morning that it takes, because the fourth hypothesis stands or falls with them.',
    '```sql\nselect count(*) from customers where left_at is not null;\n```',
  ].join('\n\n');
  const length = section.split(/\s+/).length;
  return Array.from({ length: Math.ceil(words / length) }, () => `${section}\n\n`).join('');
}
