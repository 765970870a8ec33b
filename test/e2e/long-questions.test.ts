import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Page } from 'playwright-core';
import { turn } from '../client/chat/turns.ts';
import { expectAccessible } from './support/axe.ts';
import { isFocused } from './support/focus.ts';
import { untilRendered } from './support/rendering.ts';
import { visitWithConversations } from './support/stored-conversations.ts';

const long = Array.from({ length: 40 }, (_, line) => `Line ${line} of the minutes`).join('\n');

const visitLong = (question = long) =>
  visitWithConversations([{ title: 'Minutes', turns: [turn(question, 'Read. They agree on the casting shop.')] }]);

const showAllOn = (page: Page) => page.getByRole('button', { name: 'Show all' });

describe('a long question in the browser', () => {
  it('is folded to twelve lines, and unfolds and folds by keyboard without moving what is above it', async () => {
    const { page, questions } = await visitLong();
    const question = questions.first();
    const showAll = showAllOn(page);
    expect(await showAll.getAttribute('aria-expanded')).to.equal('false');
    const { height: folded = 0 } = (await question.boundingBox()) ?? {};
    expect(folded)
      .to.be.greaterThan(12 * 20)
      .and.lessThan(14 * 26);
    await expectAccessible(page, 'a folded question');

    await page.mouse.wheel(0, -5000);
    await untilRendered(page);
    const { y: before } = (await question.boundingBox()) ?? {};
    await showAll.focus();
    await page.keyboard.press('Enter');
    const showLess = page.getByRole('button', { name: 'Show less' });
    expect(await showLess.getAttribute('aria-expanded')).to.equal('true');
    expect(await isFocused(showLess)).to.equal(true);
    await untilRendered(page);
    const { y: after, height: unfolded = 0 } = (await question.boundingBox()) ?? {};
    expect(after).to.equal(before);
    expect(unfolded).to.be.greaterThan(3 * folded);

    await showLess.scrollIntoViewIfNeeded();
    await showLess.click();
    await showAll.waitFor();
    await untilRendered(page);
    const { y: refolded = -1, height } = (await question.boundingBox()) ?? {};
    expect(height).to.equal(folded);
    expect(refolded).to.be.greaterThan(0);
  });

  it('is folded only if it has more than twelve lines at the width of the window', async () => {
    const { page } = await visitLong(Array.from({ length: 60 }, () => 'lead time').join(' '));
    expect(await showAllOn(page).count()).to.equal(0);
    await page.setViewportSize({ width: 320, height: 800 });
    await showAllOn(page).waitFor();
  });

  it('unfolds for a hit of the search within the conversation', async () => {
    const { page } = await visitLong();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('Find in');
    await page.keyboard.press('Enter');
    const bar = page.getByRole('search');
    await bar.getByRole('textbox').fill('Line 30 of');
    await bar.getByText('1 of 1').waitFor();
    await page.getByRole('button', { name: 'Show less' }).waitFor();
    await page.keyboard.press('Enter');
    await untilRendered(page);
    const top = await page.evaluate(() => {
      const [range] = CSS.highlights.get('passage') ?? [];
      return range instanceof Range ? range.getBoundingClientRect().top : -1;
    });
    expect(top).to.be.greaterThan(0).and.lessThan(700);
  });

  it('is printed in full', async () => {
    const { page, questions } = await visitLong();
    await showAllOn(page).waitFor();
    await page.emulateMedia({ media: 'print' });
    expect((await questions.first().boundingBox())?.height).to.be.greaterThan(40 * 15);
    expect(await showAllOn(page).isVisible()).to.equal(false);
  });
});
