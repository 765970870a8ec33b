import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Locator, Page } from 'playwright-core';
import { pages, routes } from '../../shared/interface.ts';
import { turn } from '../client/chat/turns.ts';
import { conversationOn } from './support/conversation.ts';
import { drawn } from './support/drawn.ts';
import { expectFocusShown, focusedStep, isFocused, tabTo } from './support/focus.ts';
import { holdMarkdown } from './support/held-markdown.ts';
import { visitWith } from './support/kept-conversations.ts';
import { visitDemo } from './support/sign-in.ts';

const zoomed = { width: 640, height: 480 };

const lines = (count: number, line: string) => `${line}\n`.repeat(count);

const list = lines(30, '- An item');

const shortTurns = Array.from({ length: 8 }, (_, index) => turn(`Question ${index}`, 'A reply.'));

const longTurns = (reply: string) => ['First?', 'Second?', 'Third?'].map((question) => turn(question, reply));

const copyReply = (page: Page, index: number) => page.getByRole('button', { name: 'Copy reply' }).nth(index);

const isBelowHeader = (locator: Locator) =>
  locator.evaluate((element) => {
    const header = document.querySelector('.header')?.getBoundingClientRect();
    return element.getBoundingClientRect().top >= (header?.bottom ?? 0);
  });

const shown = { name: 'Copy reply', isMarked: true, isUncovered: true };

describe('the focus in the browser', () => {
  it('goes through the header and the field without moving what is read', async () => {
    const { page, ask, composer, finished } = await visitDemo();
    await ask('please be long');
    await finished();
    await page.evaluate(() => window.scrollTo({ top: 400, behavior: 'instant' }));
    await drawn(page);
    const scrollTop = () => page.evaluate(() => window.scrollY);
    expect(await scrollTop()).to.equal(400);
    await page.getByRole('link', { name: 'Advisory Chat' }).focus();
    for (let step = 0; step < 4; step += 1) {
      expect(await scrollTop(), await focusedStep(page).then(JSON.stringify)).to.equal(400);
      await page.keyboard.press('Tab');
      await drawn(page);
    }
    await composer.focus();
    await page.keyboard.press('Tab');
    await drawn(page);
    expect(await scrollTop()).to.equal(400);
  });

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`shows where the focus is at every step, uncovered, ${colorScheme}`, async () => {
      const { page, ask, error } = await visitDemo();
      await page.emulateMedia({ colorScheme });
      await ask('please fail midway');
      await error.waitFor();
      await page.reload();
      await error.waitFor();
      await page.setViewportSize(zoomed);
      await expectFocusShown(page, 6);
    });
  }

  it('is shown in replies so long that most of them has never been drawn, below a header of two lines', async () => {
    const page = await visitWith(longTurns(lines(60, 'A paragraph.\n')));
    await page.goto(pages.signIn);
    await page.setViewportSize(zoomed);
    await page.goto(pages.demo);
    await page.getByText('A paragraph.', { exact: true }).last().waitFor();
    await drawn(page);
    expect(await isBelowHeader(conversationOn(page).questions.last())).to.equal(true);
    await expectFocusShown(page, 10);
  });

  it('is shown beside a message of many lines', async () => {
    const page = await visitWith(shortTurns);
    await conversationOn(page).composer.fill(lines(30, 'A line.'));
    await page.reload();
    await conversationOn(page).replies.last().waitFor();
    await expectFocusShown(page, 12);
  });

  const arrivals = { higher: list, lower: lines(12, 'A paragraph.\n') };
  for (const [change, reply] of Object.entries(arrivals)) {
    it(`stays in view when what shows Markdown comes late and the replies turn out ${change}`, async () => {
      const { page, ask, finished } = await visitDemo(undefined, { viewport: zoomed });
      const releaseMarkdown = await holdMarkdown(page);
      await page.route(routes.demoChat, (route) =>
        route.fulfill({ contentType: 'text/plain; charset=utf-8', body: reply }),
      );
      for (const question of ['First?', 'Second?', 'Third?']) {
        await ask(question);
        await finished();
      }
      await tabTo(page, copyReply(page, 1));
      expect(await focusedStep(page)).to.deep.equal(shown);
      // So long, nothing is shown as it was written.
      await page.locator('.plain').nth(2).waitFor();
      expect(await page.locator('.plain').count()).to.equal(3);

      releaseMarkdown();
      await page.waitForFunction(() => document.querySelector('.plain') === null);
      expect(await focusedStep(page)).to.deep.equal(shown);
    });
  }

  it('stays in view when the window becomes lower', async () => {
    const page = await visitWith(shortTurns);
    await tabTo(page, copyReply(page, 1));
    await drawn(page);
    await page.setViewportSize({ width: 1280, height: 360 });
    expect(await focusedStep(page)).to.deep.equal(shown);
  });

  it('stays in view while a reply is written below it', async () => {
    const page = await visitWith([turn('First?')]);
    const { ask, begun, finished } = conversationOn(page);
    await ask('please be long');
    await begun();
    await page.keyboard.press('Shift+Tab');
    expect(await focusedStep(page)).to.deep.equal(shown);
    await finished();
    expect(await focusedStep(page)).to.deep.equal(shown);
  });

  it('does not bring back a reader who has scrolled away from it', async () => {
    const page = await visitWith(longTurns(list));
    await tabTo(page, copyReply(page, 1));
    await drawn(page);
    await page.mouse.move(640, 300);
    await page.mouse.wheel(0, -900);
    await page.waitForFunction(() => (document.activeElement?.getBoundingClientRect().top ?? 0) > window.innerHeight);
    await drawn(page);
    const before = await page.evaluate(() => window.scrollY);
    await page.evaluate(() => document.querySelector('.messages')?.append('More at the end.'));
    await drawn(page);
    expect(await isFocused(copyReply(page, 1))).to.equal(true);
    expect(await page.evaluate(() => window.scrollY)).to.equal(before);
  });

  it('leaves a reader who types where they are, however long the message', async () => {
    const page = await visitWith(longTurns(list));
    await conversationOn(page).composer.fill(lines(30, 'A line.'));
    await page.mouse.move(640, 200);
    await page.mouse.wheel(0, -900);
    await page.getByRole('button', { name: 'Jump to latest' }).waitFor();
    await drawn(page);
    const before = await page.evaluate(() => window.scrollY);
    await page.keyboard.type('More');
    await drawn(page);
    expect(await page.evaluate(() => window.scrollY)).to.equal(before);
  });
});
