import process from 'node:process';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pages } from '../../shared/interface.ts';
import { turn } from '../client/chat/turns.ts';
import { answerWith, conversationOn } from './support/conversation.ts';
import { trackLines } from './support/line-tracker.ts';
import { delayMarkdown, loadMarkdown } from './support/markdown-chunk.ts';
import { playReplies, randomReplies } from './support/played-replies.ts';
import { untilRendered } from './support/rendering.ts';
import { visitDemo } from './support/sign-in.ts';
import { visitDemoWithTurns } from './support/stored-conversations.ts';
import { visit } from './support/visit.ts';

/** `npm run test:stillness` plays more replies. */
const replyCount = Number(process.env.STILLNESS_REPLIES ?? 8);
const repliesPerPage = 4;
const windows = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
];

/** The first line can move by one line (in pixels): rendering removes Markdown syntax. */
const lineHeight = 26;
const pagesWithLateMarkdown = Array.from({ length: Math.ceil(replyCount / 10) }, (_, index) => ({
  seed: 27 + index,
  scrolledShare: [0.5, 0.8, 0.2][index % 3] ?? 0,
}));

describe('The reading position', () => {
  it('stays at the same pixel while replies stream and end, a message is typed and the page is resized', async () => {
    const replies = randomReplies(replyCount, 16);
    let frames = 0;
    for (let start = 0; start < replies.length; start += repliesPerPage) {
      const page = await visit(pages.demo);
      await page.setViewportSize(windows[(start / repliesPerPage) % windows.length] ?? { width: 1280, height: 800 });
      await loadMarkdown(page);
      await trackLines(page);
      const measurement = await playReplies(page, replies.slice(start, start + repliesPerPage));
      expect(measurement.shifts, `from reply ${start} on`).to.deep.equal([]);
      frames += measurement.frames;
      await page.context().close();
    }
    expect(frames).to.be.greaterThan(10 * replies.length);
  });

  it('is restored after a layout has temporarily shortened the page', async () => {
    const paragraphs = Array.from({ length: 100 }, (_, index) => `Paragraph ${index} of the reply.`);
    const page = await visitDemoWithTurns([turn('A long one?', paragraphs.join('\n\n'))]);
    const { replies, renderedReply } = conversationOn(page);
    await renderedReply();
    await trackLines(page);
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight / 2));
    await untilRendered(page);
    const [line] = await page.evaluate(() => [...window.findLines()]);
    await replies.evaluate((reply) => {
      reply.style.maxHeight = '0';
      reply.getBoundingClientRect();
      reply.style.maxHeight = '';
    });
    await untilRendered(page);
    expect(await page.evaluate((line) => line && window.topOfLine(line), line)).to.equal(line?.top);
  });

  for (const { seed, scrolledShare } of pagesWithLateMarkdown) {
    it(`stays on its line when the Markdown chunk loads late (page generated from seed ${seed}, scrolled down by ${scrolledShare * 100} %)`, async () => {
      const replies = randomReplies(6, seed);
      const { page, exchange } = await visitDemo();
      const releaseMarkdown = await delayMarkdown(page);
      await answerWith(page, ...replies.map(({ pieces }) => pieces.join('')));
      for (const index of replies.keys()) {
        await exchange(`Question ${index}?`);
      }
      await page.locator('.plain').last().waitFor();
      await trackLines(page);
      await page.evaluate((share) => window.scrollTo(0, share * document.documentElement.scrollHeight), scrolledShare);
      await untilRendered(page);
      const lines = await page.evaluate(() => [...window.findLines()]);
      releaseMarkdown();
      // An unrendered formula has words that the rendered one does not have.
      await page.waitForFunction(() => document.querySelector('.plain, .formula-source') === null);
      await untilRendered(page);
      // Rendering removes link URLs and formula source, so this compares the first line whose words are still on the page.
      const remaining = await page.evaluate((before) => {
        const tops = before.map(({ words, top }) => ({ words, before: top, now: window.topOfLine({ words, top }) }));
        return tops.find(({ now }) => now !== undefined);
      }, lines);
      expect(remaining?.now, remaining?.words).to.be.closeTo(remaining?.before ?? Number.NaN, lineHeight);
    });
  }
});
