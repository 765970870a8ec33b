import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Page } from 'playwright-core';
import { turn } from '../client/chat/turns.ts';
import { answerWith, conversationOn } from './support/conversation.ts';
import { expectFocusVisible, isFocused, readFocus, tabTo } from './support/focus.ts';
import { delayMarkdown } from './support/markdown-chunk.ts';
import { distanceBelowHeader, untilRendered, untilShown } from './support/rendering.ts';
import { visitDemo } from './support/sign-in.ts';
import { visitDemoWithTurns } from './support/stored-conversations.ts';

const zoomed = { width: 640, height: 480 };

const lines = (count: number, line: string) => `${line}\n`.repeat(count);

const list = lines(30, '- An item');

const shortTurns = Array.from({ length: 8 }, (_, index) => turn(`Question ${index}`, 'A reply.'));

const longTurns = (reply: string) => ['First?', 'Second?', 'Third?'].map((question) => turn(question, reply));

const copyReply = (page: Page, index: number) => page.getByRole('button', { name: 'Copy reply' }).nth(index);

const visibleFocus = { name: 'Copy reply', isMarked: true, isUncovered: true };

describe('The keyboard focus', () => {
  it('has an unobscured outline at every tab stop of a failed reply, in light and dark', async () => {
    const failed = turn('And now?', 'Count', {
      ending: {
        type: 'failed',
        requestId: '01JD-EXAMPLE',
        sentence: 'It failed.',
        code: 'UPSTREAM_ERROR',
        status: 200,
      },
    });
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await visitDemoWithTurns([failed], { colorScheme, viewport: zoomed });
      await conversationOn(page).error.waitFor();
      await expectFocusVisible(page, 6);
    }
  });

  it('is visible in replies that have not been rendered before, and below a header of two lines', async () => {
    const page = await visitDemoWithTurns(longTurns(lines(60, 'A paragraph.\n')), { viewport: zoomed });
    const { questions } = conversationOn(page);
    await untilShown(page.getByText('A paragraph.', { exact: true }).last());
    expect(await distanceBelowHeader(questions.last())).to.be.at.least(0);
    await expectFocusVisible(page, 10);
  });

  it('is visible beside a long message', async () => {
    const page = await visitDemoWithTurns(longTurns(lines(60, 'A paragraph.\n')));
    const { composer, replies } = conversationOn(page);
    await composer.fill(lines(30, 'A line.'));
    await page.reload();
    await replies.last().waitFor();
    await expectFocusVisible(page, 10);
  });

  it('stays in view when Markdown loads late and makes the replies taller or shorter', async () => {
    for (const reply of [list, lines(12, 'A paragraph.\n')]) {
      const { page, exchange } = await visitDemo(undefined, { viewport: zoomed });
      const releaseMarkdown = await delayMarkdown(page);
      await answerWith(page, reply);
      for (const question of ['First?', 'Second?', 'Third?']) {
        await exchange(question);
      }
      await tabTo(page, copyReply(page, 1), 'Shift+Tab');
      expect(await readFocus(page)).to.deep.equal(visibleFocus);
      // The page waits for Markdown for a moment before it shows a reply as plain text.
      await page.locator('.plain').nth(2).waitFor();
      expect(await page.locator('.plain').count()).to.equal(3);

      releaseMarkdown();
      await page.waitForFunction(() => document.querySelector('.plain') === null);
      expect(await readFocus(page)).to.deep.equal(visibleFocus);
    }
  });

  it('does not scroll the text when it moves through the header and the message field, and does not interrupt reading or typing', async () => {
    const page = await visitDemoWithTurns(longTurns(list));
    const { composer, replies } = conversationOn(page);
    await replies.locator('li').last().waitFor();
    const scrollTop = () => page.evaluate(() => window.scrollY);
    await page.evaluate(() => window.scrollTo({ top: 400, behavior: 'instant' }));
    await untilRendered(page);
    expect(await scrollTop()).to.equal(400);
    await page.getByRole('link', { name: 'Advisory Chat' }).focus();
    for (let step = 0; step < 4; step += 1) {
      expect(await scrollTop(), await readFocus(page).then(JSON.stringify)).to.equal(400);
      await page.keyboard.press('Tab');
      await untilRendered(page);
    }
    await composer.focus();
    await page.keyboard.press('Tab');
    await untilRendered(page);
    expect(await scrollTop()).to.equal(400);

    await tabTo(page, copyReply(page, 1));
    await untilRendered(page);
    await page.mouse.move(640, 300);
    await page.mouse.wheel(0, -900);
    await page.waitForFunction(() => (document.activeElement?.getBoundingClientRect().top ?? 0) > window.innerHeight);
    await untilRendered(page);
    const scrolledAway = await scrollTop();
    await page.evaluate(() => document.querySelector('[role=log]')?.append('More at the end.'));
    await untilRendered(page);
    expect(await isFocused(copyReply(page, 1))).to.equal(true);
    expect(await scrollTop()).to.equal(scrolledAway);

    await composer.fill(lines(30, 'A line.'));
    await untilShown(page.getByRole('button', { name: 'Jump to latest' }));
    const typing = await scrollTop();
    await page.keyboard.type('More');
    await untilRendered(page);
    expect(await scrollTop()).to.equal(typing);
  });

  it('stays in view when the window becomes shorter, and while a reply is streamed below it; rings the message field after Tab, but not after a click', async () => {
    const page = await visitDemoWithTurns(shortTurns);
    const { composer, replies, stop, askUntilStarted } = conversationOn(page);
    const outline = () =>
      composer.evaluate((field) => getComputedStyle(field.closest('.composer-box') ?? field).outlineStyle);
    await composer.click();
    await page.keyboard.type('Where');
    expect(await outline()).to.equal('none');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Tab');
    expect(await isFocused(composer)).to.equal(true);
    expect(await outline()).to.equal('solid');
    await composer.blur();
    await composer.click();
    expect(await outline()).to.equal('none');
    await composer.fill('');

    await tabTo(page, copyReply(page, 1));
    await untilRendered(page);
    await page.setViewportSize({ width: 1280, height: 360 });
    expect(await readFocus(page)).to.deep.equal(visibleFocus);

    await page.setViewportSize({ width: 1280, height: 800 });
    await askUntilStarted('please be slow');
    await page.keyboard.press('Shift+Tab');
    expect(await readFocus(page)).to.deep.equal(visibleFocus);
    await replies.getByText('This is').waitFor();
    expect(await readFocus(page)).to.deep.equal(visibleFocus);
    await stop.dispatchEvent('click');
    await page.getByText('Stopped', { exact: true }).waitFor();
    expect(await readFocus(page)).to.deep.equal(visibleFocus);
  });
});
