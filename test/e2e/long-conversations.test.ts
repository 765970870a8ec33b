import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Locator } from 'playwright-core';
import { maxRequestBytes } from '../../client/chat/history.ts';
import { routes } from '../../shared/interface.ts';
import { inARow, turn } from '../client/chat/turns.ts';
import { findOn, selectionTopOn } from './support/browser-search.ts';
import { answerWith, conversationOn } from './support/conversation.ts';
import { listOn } from './support/conversation-list.ts';
import { needs } from './support/engine.ts';
import { distanceBelowHeader, topOf, untilRendered, untilShown } from './support/rendering.ts';
import { visitDemoWithTurns, visitWithConversations } from './support/stored-conversations.ts';

const answered = (question: string, replyCharacters: number) => turn(question, 'word '.repeat(replyCharacters / 5));

describe('A long conversation', () => {
  it('is sent without its oldest turns if it exceeds the request limit, and shows a notice', async function () {
    needs(this, 'request bodies');
    const page = await visitDemoWithTurns([
      answered('The oldest?', maxRequestBytes(routes.demoChat) / 2),
      answered('In the middle?', maxRequestBytes(routes.demoChat) / 2),
      answered('The latest?', 1000),
    ]);
    await page.getByText('The assistant no longer sees its earliest messages.').waitFor();
    const sent = page.waitForRequest(routes.demoChat);
    await conversationOn(page).ask('And now?');
    const body = (await sent).postData() ?? '';
    expect(body).to.contain('In the middle?').and.contain('The latest?').and.contain('And now?');
    expect(body).to.not.contain('The oldest?');
  });

  it('of 200 turns opens at the last question, which stays in place, and scrolls to its start on Home', async () => {
    const paragraph = 'Most of the lead time is waiting for moulds and for the crane in the second hall. ';
    const page = await visitDemoWithTurns(
      Array.from({ length: 200 }, (_, index) =>
        turn(`Question ${index}?`, `Reply **${index}**.\n\n${paragraph.repeat(1 + (index % 7))}\n\n- One\n- Two\n`),
      ),
    );
    const last = page.getByText('Question 199?', { exact: true });
    await untilShown(last);
    const before = await topOf(last);
    expect(await distanceBelowHeader(last)).to.be.within(0, 50);
    const { questions } = conversationOn(page);
    await questions.getByText('Question 0?', { exact: true }).waitFor({ state: 'attached' });
    await untilRendered(page);
    expect(await topOf(last)).to.be.closeTo(before, 1);

    await page.locator('main').focus();
    await page.keyboard.press('Home');
    await page.evaluate(async () => {
      for (let [still, last] = [0, -1]; still < 20; ) {
        await new Promise(requestAnimationFrame);
        still = window.scrollY === last ? still + 1 : 0;
        last = window.scrollY;
      }
    });
    expect(await page.evaluate(() => window.scrollY)).to.equal(0);

    await page.getByRole('log').evaluate((log) => getSelection()?.selectAllChildren(log));
    const copied = await page.evaluate(() => getSelection()?.toString() ?? '');
    expect(copied.match(/Question \d+\?/g)).to.have.length(200);
    expect(copied).to.contain('Question 0?').and.contain('Most of the lead time');
    expect(await page.locator('article:not([aria-hidden=true] *, [inert] *)').count()).to.equal(400);

    await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
    expect(await page.locator('article strong').count()).to.equal(200);
    await page.emulateMedia({ media: 'print' });
    const isPrinted = page.getByText('Question 100?', { exact: true });
    expect(await isPrinted.evaluate((element) => element.checkVisibility({ contentVisibilityAuto: true }))).to.equal(
      true,
    );
  });

  it('renders its turns in batches wherever the user navigates, and does not render them again on a key press in the message field', async function () {
    needs(this, 'DevTools');
    const count = 120;
    const turns = Array.from({ length: count }, (_, index) => turn(`Question ${index}?`, `Reply ${index}.`));
    const { page, composer, questions } = await visitWithConversations([
      { title: 'Other', turns: [turn('Another?')] },
      { title: 'Long', turns: inARow(...turns) },
    ]);
    await page.addInitScript(() => {
      let before = 0;
      new MutationObserver(() => {
        const { length } = document.querySelectorAll('[data-turn]');
        const { dataset } = document.documentElement;
        dataset.maxAtOnce = String(Math.max(Number(dataset.maxAtOnce ?? 0), length - before));
        before = length;
      }).observe(document, { childList: true, subtree: true });
    });
    /** Returns the most turns that were added at once until all were rendered and question `position` was in view. */
    const maxAtOnce = async (position: number) => {
      await page.waitForFunction((count) => document.querySelectorAll('[data-turn]').length === count, count);
      await page.waitForFunction((id) => {
        const top = document.querySelector(`[data-turn="${id}"] article`)?.getBoundingClientRect().top ?? -1;
        return top > 0 && top < window.innerHeight;
      }, `Question ${position}?`);
      return Number(await page.evaluate(() => document.documentElement.dataset.maxAtOnce));
    };

    await page.goto('/c/Long');
    expect(await maxAtOnce(count - 1)).to.be.within(1, 60);

    await page.evaluate(() => {
      const question = document.querySelector('[data-turn="Question 80?"] article');
      question?.scrollIntoView({ block: 'center', behavior: 'instant' });
    });
    await page.reload();
    expect(await maxAtOnce(80)).to.be.within(1, 60);

    await page.goto('/c/Other');
    await questions.getByText('Another?').waitFor();
    const { list, search, entry } = listOn(page);
    await search.fill('Reply 50.');
    await list.getByText('1 conversation found.').waitFor();
    await entry('Long').click();
    expect(await maxAtOnce(50)).to.be.within(1, 60);

    await composer.press('a');
    await untilRendered(page);

    const browser = page.context().browser();
    await browser?.startTracing(page, { categories: ['devtools.timeline'] });
    await composer.press('b');
    await untilRendered(page);
    const trace = (await browser?.stopTracing())?.toString() ?? '';
    const events: { name: string; args: { elementCount?: number } }[] = JSON.parse(trace).traceEvents;
    const styled = events.filter(({ name }) => name === 'UpdateLayoutTree').map(({ args }) => args.elementCount ?? 0);
    expect(styled.length).to.be.greaterThan(0);
    expect(Math.max(...styled), 'elements whose style was looked at again').to.be.lessThan(50);
  });

  it('skips the layout of invisible parts of a long reply, spaces it like a short one, and renders 2,000 rows and items in batches', async function () {
    needs(this, 'media emulation');
    const paragraphs = Array.from({ length: 200 }, (_, index) => `Paragraph ${index}.`);
    const page = await visitDemoWithTurns([turn('All of them?', paragraphs.join('\n\n'))]);
    const first = page.getByText('Paragraph 0.', { exact: true });
    const last = page.getByText('Paragraph 199.', { exact: true });
    const isRendered = (paragraph: Locator) =>
      paragraph.evaluate((element) => element.checkVisibility({ contentVisibilityAuto: true }));
    await first.waitFor();
    expect(await page.getByText('The assistant no longer sees its earliest messages.').count()).to.equal(0);
    expect(await isRendered(first)).to.equal(true);
    expect(await isRendered(last)).to.equal(false);
    await page.emulateMedia({ media: 'print' });
    expect(await isRendered(last)).to.equal(true);
    await page.emulateMedia({ media: 'screen' });

    await last.scrollIntoViewIfNeeded();
    await page.waitForFunction(
      (element) => element?.checkVisibility({ contentVisibilityAuto: true }),
      await last.elementHandle(),
    );
    const tops = await page
      .locator('article p')
      .evaluateAll((elements) =>
        elements
          .filter((element) => element.checkVisibility({ contentVisibilityAuto: true }))
          .map((element) => element.getBoundingClientRect().top),
      );
    expect(tops.length).to.be.greaterThan(20);
    const gaps = tops.slice(1).map((top, index) => Math.round(top - (tops[index] ?? 0)));
    expect(new Set(gaps.slice(0, 20)).size).to.equal(1);

    const rows = Array.from({ length: 1250 }, (_, index) => `| Row ${index} | ${index} |`).join('\n');
    const items = Array.from({ length: 750 }, (_, index) => `- Item ${index} of the list`).join('\n');
    await page.evaluate(() => {
      const counts: number[] = [];
      Object.assign(window, { counts });
      const count = () => document.querySelectorAll('article tr, article li').length;
      const record = () => {
        if (count() !== (counts.at(-1) ?? 0)) counts.push(count());
      };
      new MutationObserver(record).observe(document.body, { childList: true, subtree: true });
    });
    await answerWith(page, `| Name | Number |\n|--|--:|\n${rows}\n\n${items}\n\nThe end.`);
    await conversationOn(page).ask('And all the rows?');
    await page.waitForFunction(() => document.querySelectorAll('article tr, article li').length === 2001);
    const counts = await page.evaluate(() =>
      'counts' in window && Array.isArray(window.counts) ? window.counts.map(Number) : [],
    );
    expect(counts.at(-1)).to.equal(2001);
    const steps = counts.map((count, index) => count - (counts[index - 1] ?? 0));
    expect(Math.max(...steps)).to.be.below(700);
  });
});

describe('The browser’s own search', () => {
  it('opens with Ctrl+F, finds a line in the first of 100 turns, and scrolls to it', async () => {
    const text = 'The lead time of the mill. '.repeat(20);
    const turns = Array.from({ length: 100 }, (_, n) =>
      turn(`Question ${n}?`, `## Week ${n}\n\n${text}\n\n- Part ${n}.`),
    );
    const { page, composer, questions } = await visitWithConversations([{ title: 'Long', turns: inARow(...turns) }]);
    // Earlier turns follow while the browser is idle.
    await questions.nth(99).waitFor({ state: 'attached' });
    await page.locator('.plain').first().waitFor({ state: 'detached' });
    for (const part of [composer, page.locator('main')]) {
      const prevented = page.evaluate(
        () =>
          new Promise<boolean>((resolve) => {
            window.addEventListener('keydown', ({ key, defaultPrevented }) => key === 'f' && resolve(defaultPrevented));
          }),
      );
      await part.press('Control+f');
      expect(await prevented).to.equal(false);
    }

    expect(await findOn(page, 'Part 0.')).to.equal(true);
    await untilRendered(page);
    expect(
      await page.evaluate(() => getSelection()?.anchorNode?.parentElement?.closest('[data-turn]')?.textContent),
    ).to.match(/^Question 0\?/);
    expect(await selectionTopOn(page)).to.be.within(60, 700);
    expect(await findOn(page, 'Part 100.')).to.equal(false);

    await page.addInitScript(() => {
      window.requestIdleCallback = () => 0;
    });
    await page.reload();
    await questions.nth(19).waitFor({ state: 'attached' });
    expect(await questions.count()).to.be.below(100);
    await page.keyboard.press('Control+f');
    expect(await questions.count()).to.equal(100);
  });
});
