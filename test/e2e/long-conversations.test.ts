import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Locator } from 'playwright-core';
import { historyBudgetBytes } from '../../client/chat/history.ts';
import { routes } from '../../shared/interface.ts';
import { conversationOn } from './support/conversation.ts';
import { drawn } from './support/drawn.ts';
import { replied, visitWith } from './support/kept-turns.ts';

const answered = (question: string, replyCharacters: number) => replied(question, 'word '.repeat(replyCharacters / 5));

describe('a conversation that has become long, in the browser', () => {
  it('goes along with the next question as far as a request has room, without its oldest turns, and says so', async () => {
    const page = await visitWith([
      answered('The oldest?', historyBudgetBytes / 2),
      answered('In the middle?', historyBudgetBytes / 2),
      answered('The latest?', 1000),
    ]);
    await page.getByText('Earlier messages are no longer sent along.').waitFor();
    const sent = page.waitForRequest(routes.demoChat);
    await conversationOn(page).ask('And now?');
    const body = (await sent).postData() ?? '';
    expect(body).to.contain('In the middle?').and.contain('The latest?').and.contain('And now?');
    expect(body).to.not.contain('The oldest?');
  });

  it('says nothing of the kind while all of it goes along', async () => {
    const page = await visitWith([answered('The oldest?', 1000), answered('The latest?', 1000)]);
    await conversationOn(page).questions.nth(1).waitFor();
    expect(await page.getByText('Earlier messages are no longer sent along.').count()).to.equal(0);
  });

  it('opens a thousand turns at the last question, which stays where it is while the words of all the others come', async () => {
    const page = await visitWith(
      Array.from({ length: 1000 }, (_, index) => replied(`Question ${index}?`, `Reply **${index}** of many.`)),
    );
    const last = page.getByText('Question 999?', { exact: true });
    const top = () => last.evaluate((element) => element.getBoundingClientRect().top);
    await last.waitFor();
    const before = await top();
    expect(before).to.be.within(60, 110);
    await page.getByText('Question 0?', { exact: true }).waitFor({ state: 'attached' });
    await drawn(page);
    expect(await top()).to.equal(before);
  });

  it('spares the browser what is out of view of a long reply, and spaces it like a short one', async () => {
    const paragraphs = Array.from({ length: 200 }, (_, index) => `Paragraph ${index}.`);
    const page = await visitWith([replied('All of them?', paragraphs.join('\n\n'))]);
    const first = page.getByText('Paragraph 0.', { exact: true });
    const last = page.getByText('Paragraph 199.', { exact: true });
    const isDrawn = (paragraph: Locator) =>
      paragraph.evaluate((element) => element.checkVisibility({ contentVisibilityAuto: true }));
    await first.waitFor();
    expect(await isDrawn(first)).to.equal(true);
    expect(await isDrawn(last)).to.equal(false);

    await last.scrollIntoViewIfNeeded();
    await page.waitForFunction(
      (element) => element?.checkVisibility({ contentVisibilityAuto: true }),
      await last.elementHandle(),
    );
    const tops = await page
      .locator('.markdown p')
      .evaluateAll((elements) =>
        elements
          .filter((element) => element.checkVisibility({ contentVisibilityAuto: true }))
          .map((element) => element.getBoundingClientRect().top),
      );
    expect(tops.length).to.be.greaterThan(20);
    const gaps = tops.slice(1).map((top, index) => Math.round(top - (tops[index] ?? 0)));
    expect(new Set(gaps.slice(0, 20)).size).to.equal(1);
  });
});
