import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Page } from 'playwright-core';
import { turn } from '../client/chat/turns.ts';
import { expectAccessible } from './support/axe.ts';
import { findOn } from './support/browser-search.ts';
import { listOn } from './support/conversation-list.ts';
import { needs } from './support/engine.ts';
import { isFocused } from './support/focus.ts';
import { untilRendered } from './support/rendering.ts';
import { visitWithConversations } from './support/stored-conversations.ts';

const long = Array.from({ length: 40 }, (_, line) => `Line ${line} of the minutes`).join('\n');

const visitLong = (question = long) =>
  visitWithConversations([{ title: 'Minutes', turns: [turn(question, 'Read. They agree on the casting shop.')] }]);

const showAllOn = (page: Page) => page.getByRole('button', { name: 'Show all' });

describe('a long question in the browser', () => {
  it('is folded to twelve lines, and unfolds and folds with the keyboard without moving what is above it', async () => {
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

  it('is folded between two words if it has more than 800 characters', async () => {
    const words = (count: number) => Array.from({ length: count }, () => 'lead times').join(' ');
    const short = await visitLong(words(72));
    expect(await showAllOn(short.page).count()).to.equal(0);
    const { page, questions } = await visitLong(words(73));
    await showAllOn(page).waitFor();
    expect(await questions.first().innerText()).to.match(/lead times lead\s*$/);
  });

  it('is printed in full, and unfolds when the browser’s own search finds it, and can be folded again', async function () {
    needs(this, 'search of folded text', 'media emulation');

    const { page, questions } = await visitLong();
    await showAllOn(page).waitFor();
    expect(await findOn(page, 'Line 30 of')).to.equal(true);
    await page.emulateMedia({ media: 'print' });
    expect((await questions.first().boundingBox())?.height).to.be.greaterThan(40 * 15);
    expect(await showAllOn(page).isVisible()).to.equal(false);
    await page.emulateMedia({ media: 'screen' });

    // Ctrl+F fires this event and then removes the attribute. `window.find` does neither.
    await page.locator('[hidden="until-found"]').evaluate((rest) => {
      rest.dispatchEvent(new Event('beforematch'));
      rest.removeAttribute('hidden');
    });
    await page.getByRole('button', { name: 'Show less' }).click();
    await showAllOn(page).waitFor();
    expect(await page.locator('[hidden="until-found"]').count()).to.equal(1);
  });

  it('unfolds when it is opened from a search result of the list, with the found words in view and highlighted', async () => {
    const { page } = await visitLong();
    await showAllOn(page).waitFor();
    const { list, entry, search } = listOn(page);
    await search.fill('line 30 of');
    await list.locator('mark').waitFor();
    await entry('Minutes').click();
    await page.getByRole('button', { name: 'Show less' }).waitFor();
    await untilRendered(page);
    const passage = await page.evaluate(() => {
      const [range] = CSS.highlights.get('passage') ?? [];
      return range instanceof Range ? { text: String(range), top: range.getBoundingClientRect().top } : undefined;
    });
    expect(passage?.text).to.equal('Line 30 of');
    expect(passage?.top).to.be.within(60, 700);
  });
});
