import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Page } from 'playwright-core';
import { inARow, turn } from '../client/chat/turns.ts';
import { expectAccessible } from './support/axe.ts';
import { findOn } from './support/browser-search.ts';
import { openClipboard } from './support/clipboard.ts';
import { listOn } from './support/conversation-list.ts';
import { needs } from './support/engine.ts';
import { isFocused } from './support/focus.ts';
import { unknownPath } from './support/page-errors.ts';
import { people } from './support/people.ts';
import { boxOf, topOf, untilRendered, untilShown } from './support/rendering.ts';
import { visitLiveChat } from './support/sign-in.ts';
import { visitWithConversations } from './support/stored-conversations.ts';

describe('Questions of the user', () => {
  it('show their date and time, can be copied, and are linked from the page of an unknown path', async function () {
    needs(this, 'clipboard permissions');
    const asked = ['2026-03-02T08:15:00Z', '2026-03-02T22:30:00Z', '2026-03-02T23:30:00Z', new Date().toISOString()];
    const turns = inARow(
      ...asked.map((at, index) => turn(`Question *${index}*?`, 'A reply.', { askedAt: Date.parse(at) })),
    );
    const { page, questions } = await visitWithConversations([{ title: 'Days', turns }], {
      timezoneId: 'Europe/Berlin',
    });
    const days = await page.locator('[data-turn]').evaluateAll((turns) =>
      turns.map((turn) => {
        const { content } = getComputedStyle(turn, '::before');
        // Firefox computes no text from the attribute.
        return content === 'attr(data-day)' ? (turn as HTMLElement).dataset.day : content.replaceAll('"', '');
      }),
    );
    expect(days.slice(0, 3)).to.deep.equal(['Monday, March 2, 2026', 'none', 'Tuesday, March 3, 2026']);
    expect(days[3]).to.include(String(new Date().getFullYear()));
    const times = await page.getByRole('time').allTextContents();
    expect(times.map((time) => time.replaceAll('\u202f', ' ')).slice(0, 3)).to.deep.equal([
      'Mar 2, 2026, 9:15 AM',
      'Mar 2, 2026, 11:30 PM',
      'Mar 3, 2026, 12:30 AM',
    ]);
    expect(times[3]).to.match(/^\d{1,2}:\d{2}/);
    expect(await page.getByRole('time').last().getAttribute('title')).to.include(String(new Date().getFullYear()));

    const readClipboard = await openClipboard(page);
    await questions.last().hover();
    await page.getByRole('button', { name: 'Copy question' }).last().click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await readClipboard()).to.equal('Question *3*?');
    await page.goto(unknownPath);
    await page.getByRole('link', { name: 'Go to your engagement' }).click();
    await questions.getByText('Question *3*?').waitFor();
  });

  it('are at the same distance from the top in a new conversation and in one that is opened again', async () => {
    const { page, questions, exchange } = await visitLiveChat(people.onboarded);
    const top = async () => Math.round(await topOf(questions.last()));
    for (const question of ['Where do we stand?', 'And what next?']) {
      await exchange(question);
      const asked = await top();
      await page.reload();
      await untilShown(questions.last());
      expect(await top()).to.be.closeTo(asked, 1);
    }
  });
});

const long = Array.from({ length: 40 }, (_, line) => `Line ${line} of the minutes`).join('\n');

const visitAsked = (...questions: string[]) =>
  visitWithConversations([
    { title: 'Minutes', turns: inARow(...questions.map((question) => turn(question, 'Read. They agree on it.'))) },
  ]);

const showAllOn = (page: Page) => page.getByRole('button', { name: 'Show all' });

describe('a long question in the browser', () => {
  it('is folded to twelve lines until it is unfolded with the keyboard or opened from a search result', async () => {
    const { page, questions } = await visitAsked(long);
    const question = questions.first();
    const showAll = showAllOn(page);
    expect(await showAll.getAttribute('aria-expanded')).to.equal('false');
    const folded = await boxOf(question);
    expect(folded.height).to.be.within(12 * 20, 14 * 26);
    await expectAccessible(page, 'a folded question');

    await page.mouse.wheel(0, -5000);
    await untilRendered(page);
    const before = await topOf(question);
    await showAll.focus();
    await page.keyboard.press('Enter');
    const showLess = page.getByRole('button', { name: 'Show less' });
    expect(await showLess.getAttribute('aria-expanded')).to.equal('true');
    expect(await isFocused(showLess)).to.equal(true);
    await untilRendered(page);
    const unfolded = await boxOf(question);
    expect(unfolded.top).to.equal(before);
    expect(unfolded.height).to.be.greaterThan(3 * folded.height);

    await showLess.scrollIntoViewIfNeeded();
    await showLess.click();
    await untilShown(showAll);
    const refolded = await boxOf(question);
    expect(refolded.height).to.equal(folded.height);
    expect(refolded.top).to.be.greaterThan(0);

    const { list, entry, search } = listOn(page);
    await search.fill('line 30 of');
    await list.locator('mark').waitFor();
    await entry('Minutes').click();
    await untilShown(page.getByRole('button', { name: 'Show less' }));
    const passage = await page.evaluate(() => {
      const [range] = CSS.highlights.get('passage') ?? [];
      return range instanceof Range ? { text: String(range), top: range.getBoundingClientRect().top } : undefined;
    });
    expect(passage?.text).to.equal('Line 30 of');
    expect(passage?.top).to.be.within(60, 700);
  });

  it('is folded between two words if it has more than 800 characters', async () => {
    const words = (count: number) => Array.from({ length: count }, () => 'lead times').join(' ');
    const { page, questions } = await visitAsked(words(72), words(73));
    await showAllOn(page).waitFor();
    expect(await questions.first().innerText()).to.equal(words(72));
    expect(await questions.last().innerText()).to.match(/lead times lead\s*$/);
  });

  it('is printed in full, and unfolds when the browser’s own search finds it, and can be folded again', async function () {
    needs(this, 'search of folded text', 'media emulation');

    const { page, questions } = await visitAsked(long);
    await showAllOn(page).waitFor();
    expect(await findOn(page, 'Line 30 of')).to.equal(true);
    await page.emulateMedia({ media: 'print' });
    expect((await boxOf(questions.first())).height).to.be.greaterThan(40 * 15);
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
});
