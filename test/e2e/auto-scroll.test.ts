import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Locator, Page } from 'playwright-core';
import { pages } from '../../shared/interface.ts';
import { turn } from '../client/chat/turns.ts';
import { perSuite } from '../support/per-suite.ts';
import { conversationOn } from './support/conversation.ts';
import { engine, needs } from './support/engine.ts';
import { loadMarkdown } from './support/markdown-chunk.ts';
import { boxOf, distanceBelowHeader, topOf, untilRendered, untilShown } from './support/rendering.ts';
import { sharedScriptedProduct } from './support/scripted-product.ts';
import { visitDemoWithTurns } from './support/stored-conversations.ts';
import { visit } from './support/visit.ts';

const paragraphs = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, n) => `Paragraph ${from + n}.\n\n`).join('');

describe('Auto-scroll of a reply', () => {
  const scripted = perSuite(() => sharedScriptedProduct());

  /** Asks a question as a new visitor and sends the first 40 paragraphs of the reply. */
  async function startLongReply() {
    const page = await visit(pages.demo, scripted.product, { reducedMotion: 'no-preference' });
    const conversation = conversationOn(page);
    const reply = scripted.nextReply();
    await loadMarkdown(page);
    await conversation.ask('Where do we stand?');
    await reply.say(paragraphs(1, 40));
    const paragraph = (number: number) => conversation.replies.getByText(`Paragraph ${number}.`, { exact: true });
    await paragraph(40).waitFor({ state: 'attached' });
    return { page, ...conversation, ...reply, paragraph, jump: page.getByRole('button', { name: /^Jump to latest/ }) };
  }

  async function untilInView(page: Page, paragraph: Locator): Promise<void> {
    await page.waitForFunction(
      ([element, dock]) => {
        const { top = 0, bottom = 0 } = element?.getBoundingClientRect() ?? {};
        return top > 60 && bottom <= (dock?.getBoundingClientRect().top ?? 0);
      },
      [await paragraph.elementHandle(), await conversationOn(page).dock.elementHandle()],
    );
    await untilStill(paragraph);
  }

  async function untilStill(paragraph: Locator): Promise<number> {
    for (let before = await topOf(paragraph); ; ) {
      await untilRendered(paragraph.page());
      const now = await topOf(paragraph);
      if (now === before) return now;
      before = now;
    }
  }

  it('starts when the user jumps or scrolls to the end, and stops when they click or scroll away with the wheel or the keyboard', async () => {
    const { page, jump, say, end, finished, paragraph } = await startLongReply();
    let last = 40;
    const sayMore = async () => {
      await say(paragraphs(last + 1, last + 20));
      last += 20;
      await paragraph(last).waitFor({ state: 'attached' });
    };

    await jump.click();
    for (const turnAway of [
      () => page.mouse.wheel(0, -60),
      () => paragraph(last).click(),
      () => page.keyboard.press('PageUp'),
    ]) {
      await untilInView(page, paragraph(last));
      await sayMore();
      await untilInView(page, paragraph(last));
      expect(await jump.count()).to.equal(0);
      await page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur());
      await turnAway();
      const read = paragraph(last - 10);
      const before = await untilStill(read);
      await sayMore();
      expect(await untilStill(read), turnAway.toString()).to.equal(before);
      await jump.click();
    }

    await untilInView(page, paragraph(last));
    await page.mouse.move(640, 300);
    await page.mouse.wheel(0, -2000);
    await jump.waitFor();
    await page.mouse.wheel(0, 10_000);
    await untilInView(page, paragraph(last));
    await sayMore();
    await untilInView(page, paragraph(last));
    await page.mouse.wheel(0, -60);
    const read = paragraph(last - 10);
    const top = await untilStill(read);
    await say(paragraphs(last + 1, last + 20));
    await end();
    await finished();
    expect(await untilStill(read)).to.equal(top);
  });

  it('stops at the next question, whether it was queued or sent afterwards, and its reply grows below it', async () => {
    const { page, ask, jump, end, questions, replies, paragraph } = await startLongReply();
    const expectHeld = async (number: number) => {
      await replies.nth(number).getByText('Paragraph 40.', { exact: true }).waitFor({ state: 'attached' });
      await untilStill(questions.nth(number));
      expect(await distanceBelowHeader(questions.nth(number))).to.be.within(0, 30);
    };
    await jump.click();
    await untilInView(page, paragraph(40));
    await ask('And in summer?');
    const second = scripted.nextReply();
    await end();
    await second.say(paragraphs(1, 40));
    await expectHeld(1);

    await jump.click();
    await untilInView(page, replies.nth(1).getByText('Paragraph 40.', { exact: true }));
    await second.say('The end.');
    await second.end();
    await page.getByRole('button', { name: 'Try again' }).nth(1).waitFor();
    const third = scripted.nextReply();
    await ask('And then?');
    await third.say(paragraphs(1, 40));
    await expectHeld(2);
    await third.end();
  });

  /** On a slow device, the end moves while the browser still animates the scroll of the key. */
  async function slowDown(page: Page): Promise<void> {
    if (engine.lacks.includes('DevTools')) return;
    const devTools = await page.context().newCDPSession(page);
    await devTools.send('Emulation.setCPUThrottlingRate', { rate: 3 });
  }

  it('reaches the end with one press of End, even if paragraphs have not been laid out yet', async () => {
    for (const [words, paragraphsOfPart] of [
      [3, 20],
      [90, 7],
    ] as const) {
      const parts = Array.from({ length: 8 }, (_, part) =>
        `### Part ${part}\n\n${'word '.repeat(words)}.\n\n`.repeat(paragraphsOfPart),
      );
      const reply = `${paragraphs(1, 40)}${parts.join('')}The end.`;
      const page = await visitDemoWithTurns([turn('Where do we stand?', reply)], {}, slowDown);
      const last = page.getByText('The end.', { exact: true });
      await last.waitFor({ state: 'attached' });
      await page.keyboard.press('End');
      await untilInView(page, last);
      expect((await boxOf(last)).bottom + 60).to.be.greaterThan(await topOf(conversationOn(page).dock));
    }
  });

  it('has controls that do not overlap on a phone, and scrolls smoothly unless motion is reduced', async function () {
    needs(this, 'media emulation');
    const { page, composer, stop, jump, say, end, finished, paragraph } = await startLongReply();
    await jump.waitFor();
    for (const width of [390, 320]) {
      await page.setViewportSize({ width, height: 844 });
      await composer.fill('And what is next, once this has been settled?');
      const sendNext = page.getByRole('button', { name: 'Send after this reply' });
      await untilShown(sendNext);
      const boxes = await Promise.all([composer, jump, stop, sendNext].map(boxOf));
      const overlaps = boxes.flatMap((one, index) =>
        boxes.slice(index + 1).map((other) => {
          const isApart = one.right <= other.left || other.right <= one.left;
          return !isApart && one.top < other.bottom && other.top < one.bottom;
        }),
      );
      expect(overlaps, `at a width of ${width}`).to.deep.equal(Array(6).fill(false));
    }

    await composer.fill('');
    await page.setViewportSize({ width: 1280, height: 800 });
    await jump.click();
    let last = 40;
    for (const reducedMotion of ['reduce', 'no-preference'] as const) {
      await page.emulateMedia({ reducedMotion });
      await untilInView(page, paragraph(last));
      await page.evaluate(() => {
        const places = new Set([window.scrollY]);
        Object.assign(window, { places });
        const note = () => {
          places.add(window.scrollY);
          requestAnimationFrame(note);
        };
        note();
      });
      await say(paragraphs(last + 1, last + 4));
      last += 4;
      await untilInView(page, paragraph(last));
      const places = await page.evaluate<number>('places.size');
      if (reducedMotion === 'reduce') expect(places).to.be.at.most(4);
      else expect(places).to.be.greaterThan(6);
    }
    await end();
    await finished();
    await page.mouse.move(640, 300);
    await page.mouse.wheel(0, -500);
    await page.getByRole('button', { name: 'Jump to latest', exact: true }).waitFor();
  });
});
