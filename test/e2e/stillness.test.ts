import process from 'node:process';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Page } from 'playwright-core';
import { pages, routes } from '../../shared/interface.ts';
import { conversationOn } from './support/conversation.ts';
import { drawn } from './support/drawn.ts';
import { holdMarkdown } from './support/held-markdown.ts';
import { playReplies, randomReplies } from './support/played-replies.ts';
import { visit } from './support/visit.ts';

/** The first whole line below the header: its words, and how far it stands from the top of the window, in pixels. */
type FirstLine = { words: string; top: number };

declare global {
  interface Window {
    /** The first line that is read, or undefined where none is in view. */
    findFirstLine: () => FirstLine | undefined;
    /** Where the line with these words stands now: of several, the one nearest to where it was. Undefined where it is gone. */
    topOfLine: (line: FirstLine) => number | undefined;
  }
}

/** Gives `page` a reader's eye, which knows nothing of how the page keeps its place. */
async function giveEye(page: Page): Promise<void> {
  await page.evaluate(() => {
    const log = () => document.querySelector('[role=log]') ?? document.body;
    const isText = (node: Node) => node.parentElement?.closest('button, [role=status], .thinking, .notice') === null;
    const topOf = (node: Text, offset: number) => {
      const range = document.createRange();
      range.setStart(node, offset);
      range.setEnd(node, offset + 1);
      return range.getClientRects()[0]?.top;
    };

    // Looked at first: to look through all that was said takes longer than a frame.
    let lately: { node: Text; offset: number } | undefined;

    window.findFirstLine = () => {
      const first = document.querySelector('header')?.getBoundingClientRect().bottom ?? 0;
      const last = document.querySelector('.dock')?.getBoundingClientRect().top ?? 0;
      const { left, width } = log().getBoundingClientRect();
      for (let y = first + 1; y < last; y += 4) {
        for (const share of [0.02, 0.1, 0.3, 0.7, 0.95]) {
          const at = document.caretPositionFromPoint(left + width * share, y);
          const node = at?.offsetNode;
          if (at === null || at === undefined || !(node instanceof Text) || !log().contains(node) || !isText(node))
            continue;
          // Without marks of Markdown, which may not have been read yet.
          const run = /[\p{L}\p{N}][\p{L}\p{N} ]{3,}/u.exec(
            node.data.slice(Math.max(0, at.offset - 4), at.offset + 28),
          );
          if (run === null) continue;
          const offset = Math.max(0, at.offset - 4) + run.index;
          const words = run[0].trimEnd();
          const top = topOf(node, offset);
          // Less than a pixel of a line is nothing that one reads.
          if (top === undefined || top < first - 1 || top >= last - 30) continue;
          lately = { node, offset };
          return { words, top };
        }
      }
      return undefined;
    };

    window.topOfLine = ({ words, top }) => {
      if (lately?.node.isConnected && lately.node.data.startsWith(words, lately.offset)) {
        return topOf(lately.node, lately.offset);
      }
      const walker = document.createTreeWalker(log(), NodeFilter.SHOW_TEXT);
      const nodes: Text[] = [];
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
        if (node instanceof Text) nodes.push(node);
      const whole = nodes.map(({ data }) => data).join('');
      let nearest: number | undefined;
      let start = 0;
      let index = 0;
      for (let found = whole.indexOf(words); found !== -1; found = whole.indexOf(words, found + 1)) {
        while (start + (nodes[index]?.length ?? 0) <= found) {
          start += nodes[index]?.length ?? 0;
          index += 1;
        }
        const node = nodes[index];
        const now = node && topOf(node, found - start);
        if (now !== undefined && (nearest === undefined || Math.abs(now - top) < Math.abs(nearest - top)))
          nearest = now;
      }
      return nearest;
    };
  });
}

/** `npm run test:stillness` plays more of them. */
const replyCount = Number(process.env.STILLNESS_REPLIES ?? 40);
const repliesPerPage = 10;
const windows = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
];

describe('what is read in the browser', () => {
  it('stays where it is, to the pixel, while replies of all kinds grow and end, a message is typed and the page is resized', async () => {
    const replies = randomReplies(replyCount, 16);
    let frames = 0;
    for (let start = 0; start < replies.length; start += repliesPerPage) {
      const page = await visit(pages.demo);
      await page.setViewportSize(windows[(start / repliesPerPage) % windows.length] ?? { width: 1280, height: 800 });
      // What shows Markdown is fetched when a person goes to the field.
      const fetched = page.waitForResponse(/markdown/);
      await page.getByRole('textbox', { name: 'Message' }).fill('W');
      await (await fetched).finished();
      await giveEye(page);
      const watched = await playReplies(page, replies.slice(start, start + repliesPerPage));
      expect(watched.shifts, `from reply ${start} on`).to.deep.equal([]);
      frames += watched.frames;
      await page.context().close();
    }
    expect(frames).to.be.greaterThan(10 * replies.length);
  });

  for (const place of [0.2, 0.5, 0.8]) {
    it(`stays where it is when what shows Markdown comes late, ${place * 100} % down the page`, async () => {
      const replies = randomReplies(6, 100 * place);
      const page = await visit(pages.demo);
      const releaseMarkdown = await holdMarkdown(page);
      const bodies = replies.map(({ pieces }) => pieces.join(''));
      await page.route(routes.demoChat, (route) => route.fulfill({ body: bodies.shift() ?? '' }));
      const { ask, finished } = conversationOn(page);
      for (const index of replies.keys()) {
        await ask(`Question ${index}?`);
        await finished();
      }
      await page.locator('.plain').last().waitFor();
      await giveEye(page);
      await page.evaluate((share) => window.scrollTo(0, share * document.documentElement.scrollHeight), place);
      await drawn(page);
      const line = await page.evaluate(() => window.findFirstLine());
      if (line === undefined) throw new Error('There is nothing to read here.');
      releaseMarkdown();
      await page.waitForFunction(() => document.querySelector('.plain') === null);
      await drawn(page);
      expect(await page.evaluate((before) => window.topOfLine(before), line)).to.be.closeTo(line.top, 1);
    });
  }
});
