import { expect } from 'chai';
import { describe, it } from 'mocha';
import { diagramPage, routes } from '../../shared/interface.ts';
import { turn } from '../client/chat/turns.ts';
import { drawsAtOnce } from './support/diagrams.ts';
import { needs } from './support/engine.ts';
import { untilRendered } from './support/rendering.ts';
import { visitDemo } from './support/sign-in.ts';
import { visitDemoWithTurns } from './support/stored-conversations.ts';
import { phone } from './support/visit.ts';

/** A Markdown reply of 4,000 words with the usual elements: headings, lists, tables and emphasis. */
const longReply = Array.from({ length: 56 }, (_, index) => {
  const sentence = `Step ${index}: the **lead time** of the plant is mostly waiting, as the queue before the furnace shows every week. `;
  if (index % 7 === 0) return `## Finding ${index}\n\n- ${sentence}\n- ${sentence}`;
  if (index % 11 === 0)
    return `| Step | Why |\n| --- | --- |\n| ${index} | ${sentence} |\n| ${index + 1} | ${sentence} |`;
  return sentence.repeat(4);
}).join('\n\n');

type Shift = { value: number; parts: string[] };

describe('A reply of 4,000 words', () => {
  it('causes a layout shift of at most 0.02 on a desktop and on a phone', async function () {
    needs(this, 'layout shift entries');
    expect(longReply.split(/\s+/).length).to.be.above(4000);
    for (const [screen, options] of [
      ['a desk', {}],
      ['a phone', phone],
    ] as const) {
      const { page, composer, send, finished } = await visitDemo(undefined, options);
      await page.evaluate(
        ([route, text]) => {
          const { fetch } = window;
          window.fetch = async (input, init) => {
            if (String(input) !== route) return fetch(input, init);
            const pieces = text.match(/.{1,200}/gs) ?? [];
            const body = new ReadableStream<string>({
              async pull(controller) {
                // A line below the reply moves down with it, and counts for more if it moves further per frame.
                await new Promise(requestAnimationFrame);
                const piece = pieces.shift();
                if (piece === undefined) controller.close();
                else controller.enqueue(piece);
              },
            });
            const headers = { 'Content-Type': 'text/plain; charset=utf-8' };
            return new Response(body.pipeThrough(new TextEncoderStream()), { headers });
          };
          const shifts: Shift[] = [];
          new PerformanceObserver((list) => {
            for (const entry of list.getEntries()) {
              const { value, sources } = entry as unknown as { value: number; sources: { node: Node | null }[] };
              const parts = sources.map(({ node }) => `${node?.nodeName} in ${node?.parentElement?.className}`);
              shifts.push({ value, parts });
            }
          }).observe({ type: 'layout-shift' });
          Object.assign(window, { shifts });
        },
        [routes.demoChat, longReply] as const,
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
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const page = await visitDemoWithTurns(turns, phone, (page) =>
      page.route(diagramPage.path, async (route) => {
        await released;
        await route.fulfill({ contentType: 'text/html', body: drawsAtOnce() });
      }),
    );
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
    release();
    await page.frameLocator('iframe').getByText('pie title Costs').waitFor({ state: 'attached' });
    await untilRendered(page);
    expect(await page.locator('figure [data-unfinished]').count()).to.equal(1);
    await page.evaluate(() => cancelAnimationFrame(Object(window).scrolling));
    await page.locator('figure [data-unfinished]').waitFor({ state: 'detached' });
  });
});
