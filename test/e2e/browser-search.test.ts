import { expect } from 'chai';
import { describe, it } from 'mocha';
import { inARow, turn } from '../client/chat/turns.ts';
import { findOn, selectionTopOn } from './support/browser-search.ts';
import { untilRendered } from './support/rendering.ts';
import { visitWithConversations } from './support/stored-conversations.ts';

describe('The browser’s own search', () => {
  it('opens with Ctrl+F, finds a line in the first of 200 turns, and scrolls to it', async () => {
    const text = 'The lead time of the mill. '.repeat(20);
    const turns = Array.from({ length: 200 }, (_, n) =>
      turn(`Question ${n}?`, `## Week ${n}\n\n${text}\n\n- Part ${n}.`),
    );
    const { page, composer, questions } = await visitWithConversations([{ title: 'Long', turns: inARow(...turns) }]);
    // Earlier turns follow while the browser is idle.
    await questions.nth(199).waitFor({ state: 'attached' });
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
      await page.evaluate(() => getSelection()?.anchorNode?.parentElement?.closest('.turn')?.textContent),
    ).to.match(/^Question 0\?/);
    expect(await selectionTopOn(page)).to.be.within(60, 700);
    expect(await findOn(page, 'Part 200.')).to.equal(false);

    await page.addInitScript(() => {
      window.requestIdleCallback = () => 0;
    });
    await page.reload();
    await questions.nth(19).waitFor({ state: 'attached' });
    expect(await questions.count()).to.be.below(200);
    await page.keyboard.press('Control+f');
    expect(await questions.count()).to.equal(200);
  });
});
