import { expect } from 'chai';
import { describe, it } from 'mocha';
import { diagramPage, routes } from '../../shared/interface.ts';
import { turn } from '../client/chat/turns.ts';
import { noExtraHeaders } from './support/diagrams.ts';
import { needs } from './support/engine.ts';
import { untilRendered } from './support/rendering.ts';
import { visitDemo } from './support/sign-in.ts';
import { visitDemoWithTurns } from './support/stored-conversations.ts';
import { phone } from './support/visit.ts';

/** Returns a Markdown reply of about `words` words with the usual elements: headings, lists, tables and emphasis. */
function longReply(words: number): string {
  const blocks: string[] = [];
  let count = 0;
  for (let index = 1; count < words; index += 1) {
    const sentence = `Step ${index}: the **lead time** of the plant is mostly waiting, as the queue before the furnace shows every week. `;
    const block =
      index % 7 === 0
        ? `## Finding ${index}\n\n- ${sentence}\n- ${sentence}`
        : index % 11 === 0
          ? `| Step | Why |\n| --- | --- |\n| ${index} | ${sentence} |\n| ${index + 1} | ${sentence} |`
          : sentence.repeat(4);
    blocks.push(block);
    count += block.split(/\s+/).length;
  }
  return blocks.join('\n\n');
}

type Shift = { value: number; hadRecentInput: boolean; at: number; sources: string[] };

describe('A reply of 8,000 words', () => {
  it('causes a layout shift of at most 0.02 on a desktop and on a phone', async function () {
    needs(this, 'layout shift entries');
    this.timeout(240_000);
    for (const [screen, options] of [
      ['a desk', {}],
      ['a phone', phone],
    ] as const) {
      const { page, composer, send, finished } = await visitDemo(undefined, options);
      await page.evaluate(
        ([route, text]) => {
          const { fetch } = window;
          const pieceLength = 200;
          window.fetch = async (input, init) => {
            if (String(input) !== route) return fetch(input, init);
            const bytes = new TextEncoder().encode(text);
            let sent = 0;
            const body = new ReadableStream<Uint8Array>({
              async pull(controller) {
                await new Promise((resolve) => setTimeout(resolve, 10));
                if (sent >= bytes.length) return controller.close();
                controller.enqueue(bytes.slice(sent, sent + pieceLength));
                sent += pieceLength;
              },
            });
            return new Response(body, { headers: { 'Content-Type': 'text/plain; charset=utf-8' } });
          };
          const shifts: Shift[] = [];
          const observer = new PerformanceObserver((list) => {
            for (const entry of list.getEntries()) {
              const { value, hadRecentInput, sources, startTime } = entry as unknown as {
                value: number;
                hadRecentInput: boolean;
                startTime: number;
                sources: { node: Node | null; previousRect: DOMRect; currentRect: DOMRect }[];
              };
              shifts.push({
                value,
                hadRecentInput,
                at: startTime,
                sources: sources.map(({ node, previousRect: a, currentRect: b }) => {
                  const element = node instanceof Element ? node : node?.parentElement;
                  const name = `${node?.nodeName} in ${element?.tagName}.${element?.className}`;
                  return `${name} ${a.x},${a.y} ${a.width}×${a.height} → ${b.x},${b.y} ${b.width}×${b.height}`;
                }),
              });
            }
          });
          observer.observe({ type: 'layout-shift' });
          Object.assign(window, { shifts });
        },
        [routes.demoChat, longReply(8_000)] as const,
      );
      await composer.fill('Where do we stand?');
      await send.click();
      await finished();
      await untilRendered(page);
      const shifts = await page.evaluate(() => (window as unknown as { shifts: Shift[] }).shifts);
      const sum = shifts.reduce((total, { value }) => total + value, 0);
      expect(sum, `${screen}: ${JSON.stringify(shifts)}`).to.be.at.most(0.02);
    }
  });
});

describe('A diagram above the viewport', () => {
  const text = Array.from({ length: 30 }, (_, index) => `Paragraph ${index} of the reply.`).join('\n\n');
  const diagram = '```mermaid\npie title Costs\n "Waiting" : 60\n "Work" : 40\n```';

  it('replaces its source once the page no longer scrolls', async () => {
    const turns = [turn('First?', `${diagram}\n\n${text}`), turn('Second?', 'Short.')];
    const page = await visitDemoWithTurns(turns, { ...noExtraHeaders, ...phone });
    await page.route(diagramPage.path, () => {});
    await page.reload();
    await page.getByText('Paragraph 25 of').scrollIntoViewIfNeeded();
    await untilRendered(page);
    await page.evaluate(() => {
      let direction = 1;
      const scroll = () => {
        window.scrollBy({ top: direction, behavior: 'instant' });
        direction = -direction;
        Object.assign(window, { scrolling: requestAnimationFrame(scroll) });
      };
      scroll();
    });
    await page.unroute(diagramPage.path);
    await page.locator('iframe').evaluate((frame: HTMLIFrameElement) => {
      frame.src = String(frame.getAttribute('src'));
    });
    await page.frameLocator('iframe').locator('[data-drawn]').waitFor({ state: 'attached' });
    await untilRendered(page);
    expect(await page.locator('.diagram[data-unfinished]').count()).to.equal(1);
    await page.evaluate(() => cancelAnimationFrame(Object(window).scrolling));
    await page.locator('.diagram:not([data-unfinished])').waitFor({ state: 'attached' });
  });
});
