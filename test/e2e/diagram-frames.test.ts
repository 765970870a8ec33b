import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Page } from 'playwright-core';
import { diagramPage } from '../../shared/interface.ts';
import { turn } from '../client/chat/turns.ts';
import { flow, longText, mockDiagrams, neverDraws, noExtraHeaders } from './support/diagrams.ts';
import { topOf } from './support/rendering.ts';
import { visitDemoWithTurns } from './support/stored-conversations.ts';

const broken = '```mermaid\nflowchart LR\n  A[Order --> {\n```';

/** Opens a page with a diagram that is never drawn. Its clock is frozen, because the drawing time of the diagram has just started. */
async function visitNeverDrawn(): Promise<Page> {
  const { promise: frozen, resolve: answer } = Promise.withResolvers<void>();
  const page = await visitDemoWithTurns([turn('How does an order flow?', flow)], noExtraHeaders, async (page) => {
    await page.route(diagramPage.path, async (route) => {
      await frozen;
      await route.fulfill({ contentType: 'text/html', body: neverDraws });
    });
    await page.clock.install({ time: 0 });
  });
  await page.locator('iframe').waitFor({ state: 'attached' });
  await page.clock.pauseAt(3_600_000);
  answer();
  await page.frameLocator('iframe').getByText('Connected').waitFor({ state: 'attached' });
  return page;
}

async function expectGivenUp(page: Page): Promise<void> {
  await page.clock.runFor(14_999);
  expect(await page.locator('iframe').count()).to.equal(1);
  await page.clock.runFor(1);
  await page.locator('iframe').waitFor({ state: 'detached' });
  await page.getByText('A[Order] --> B[Ship]').waitFor();
  await page.getByText('The diagram couldn’t be drawn.').waitFor();
}

describe('the frame of a diagram', () => {
  it('is one of at most twelve; elsewhere the diagram is a picture, also in print', async () => {
    const flows = Array.from({ length: 13 }, (_, index) => flow.replace('Order', `Order ${index}`));
    const page = await visitDemoWithTurns([turn('Which orders?', flows.join('\n\n'))], noExtraHeaders, mockDiagrams);
    await page.evaluate(() => {
      window.print = () => {
        document.body.dataset.printed = String(document.querySelectorAll('figure [data-unfinished]').length);
      };
    });
    await page.getByRole('button', { name: 'Show source' }).first().waitFor();
    await page.keyboard.press('Control+p');
    expect(await page.locator('body[data-printed]').getAttribute('data-printed')).to.equal('0');
    expect(await page.locator('iframe').count()).to.be.within(1, 12);
    expect(await page.locator('figure :is(iframe, img)').count()).to.be.at.least(13);
    for (const index of [12, 0]) {
      const diagram = page.getByRole('figure', { name: 'Diagram' }).nth(index);
      await diagram.scrollIntoViewIfNeeded();
      await diagram.frameLocator('iframe').getByText(`Order ${index}`).waitFor();
    }
    expect(await page.locator('iframe').count()).to.be.within(1, 12);
  });
});

describe('a Mermaid block in a reply', () => {
  it('is drawn when the page is idle, so that it can be printed, or is shown as code with the reason', async () => {
    const large = {
      characters: `flowchart LR\n${`  A[${'a'.repeat(200)}] --> B\n`.repeat(100)}`,
      lines: `flowchart LR\n${'  A --> B\n'.repeat(300)}`,
      height: 'xychart-beta\n  x-axis 0 --> 999999999999\n  y-axis 0 --> 0.0000000001\n  line [1, 2]\n',
    };
    const blocks = Object.values(large).map((source) => `\`\`\`mermaid\n${source}\`\`\``);
    const page = await visitDemoWithTurns(
      [
        turn('How does an order flow?', flow.replace('Order', 'Drawn')),
        turn('And then?', longText(8)),
        turn('And the end?', [broken, ...blocks].join('\n\n')),
      ],
      noExtraHeaders,
    );
    await page.getByText('Show source').waitFor({ state: 'attached' });
    expect(await topOf(page.getByRole('figure').first())).to.be.below(-3 * (page.viewportSize()?.height ?? 0));
    await page.getByText('The diagram couldn’t be drawn.').nth(blocks.length).waitFor();
    await page.frameLocator('iframe').getByText('Drawn', { exact: true }).waitFor({ state: 'attached' });
    expect(await page.getByText('Show source').count()).to.equal(1);
    expect(await page.getByText('The diagram couldn’t be drawn.').count()).to.equal(1 + blocks.length);
    await page.getByText('A[Order --> {').waitFor();
  });

  it('is shown as code if drawing takes more than 15 seconds, also on the next visit', async () => {
    const page = await visitNeverDrawn();
    await expectGivenUp(page);
    await page.unroute(diagramPage.path);
    await page.clock.resume();
    await page.reload();
    await page.getByText('The diagram couldn’t be drawn.').waitFor();
    expect(await page.locator('iframe').count()).to.equal(0);
  });

  it('is shown as code 15 seconds after the print dialog, which pauses the frame, has closed', async () => {
    const page = await visitNeverDrawn();
    await page.clock.runFor(10_000);
    await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
    await expectGivenUp(page);
  });

  it('is drawn on the next visit if the page was left while it was drawn', async () => {
    const page = await visitNeverDrawn();
    await page.unroute(diagramPage.path);
    await mockDiagrams(page);
    await page.clock.runFor(1000);
    await page.clock.resume();
    await page.reload();
    await page.getByRole('button', { name: 'Show source' }).waitFor();
  });
});
