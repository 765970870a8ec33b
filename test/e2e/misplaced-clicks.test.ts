import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Locator, Page } from 'playwright-core';
import { turn } from '../client/chat/turns.ts';
import { listOn } from './support/conversation-list.ts';
import { needs } from './support/engine.ts';
import { untilRendered } from './support/rendering.ts';
import { visitDemoWithTurns, visitWithConversations } from './support/stored-conversations.ts';
import { phone } from './support/visit.ts';

const conversations = ['First', 'Second', 'Third', 'Fourth'].map((title) => ({
  title,
  turns: [turn(`${title}?`, 'Yes.')],
}));

async function centerOf(locator: Locator): Promise<[x: number, y: number]> {
  const box = await locator.boundingBox();
  if (box === null) throw new Error('The control has no box.');
  return [box.x + box.width / 2, box.y + box.height / 2];
}

/** Double-clicks the center of `locator`; the page renders between the clicks. */
async function doubleClick(page: Page, locator: Locator): Promise<void> {
  await page.mouse.move(...(await centerOf(locator)));
  for (const clickCount of [1, 2]) {
    await page.mouse.down({ clickCount });
    await page.mouse.up({ clickCount });
    await untilRendered(page);
  }
}

/** Taps twice within 100 ms by the clock of the events, however slow the machine is. */
async function doubleTap(page: Page, locator: Locator): Promise<void> {
  const [x, y] = await centerOf(locator);
  const devTools = await page.context().newCDPSession(page);
  const start = Date.now() / 1000;
  for (const timestamp of [start, start + 0.1]) {
    await devTools.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }], timestamp });
    await devTools.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [], timestamp });
    await untilRendered(page);
  }
}

describe('a double click', () => {
  it('on Delete deletes one conversation and opens none of those that move under the pointer', async function () {
    needs(this, 'click counts');
    const { page, questions } = await visitWithConversations(conversations);
    const { list, more, titles } = listOn(page);
    await more('Second').click();
    await doubleClick(page, list.getByRole('menuitem', { name: 'Delete' }));
    expect(await titles()).to.deep.equal(['First', 'Third', 'Fourth']);
    expect(await questions.allTextContents()).to.deep.equal(['First?']);
  });

  it('counts as two clicks on the same control, and selects a word in text', async function () {
    needs(this, 'click counts');

    const page = await visitDemoWithTurns([turn('Where do we stand?', 'Castings.')]);
    const reply = page.getByRole('article').getByText('Castings');
    await reply.dblclick({ position: { x: 20, y: 10 } });
    expect(await page.evaluate(() => String(getSelection()).trim())).to.match(/^Castings\.?$/);

    await page.getByRole('banner').getByRole('button', { name: 'Settings' }).click();
    const notifications = page.getByRole('checkbox');
    await page.evaluate(() => {
      const counts = { clicks: 0 };
      document.addEventListener('click', () => (counts.clicks += 1));
      Object.assign(window, { counts });
    });
    const clicks = () => page.evaluate(() => (window as unknown as { counts: { clicks: number } }).counts.clicks);
    await notifications.dblclick();
    expect(await clicks()).to.equal(2);
    await page.getByRole('radio', { name: 'Dark' }).focus();
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Close' }).evaluate((button: HTMLElement) => button.click());
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });
});

describe('a double tap', () => {
  it('on Delete in the drawer deletes one conversation and opens none of those below the menu', async function () {
    needs(this, 'DevTools');
    const { page, questions } = await visitWithConversations(conversations, phone);
    const { list, more, titles } = listOn(page);
    await page.getByRole('button', { name: 'Conversations' }).tap();
    await more('First').tap();
    await doubleTap(page, list.getByRole('menuitem', { name: 'Delete' }));
    expect(await titles()).to.deep.equal(['Second', 'Third', 'Fourth']);
    expect(await list.isVisible()).to.equal(true);
    await questions.getByText('Second?').waitFor();
    expect(await questions.allTextContents()).to.deep.equal(['Second?']);
  });

  it('on the menu button of a conversation deletes nothing', async function () {
    needs(this, 'DevTools');
    const { page } = await visitWithConversations(conversations, phone);
    const { more, titles } = listOn(page);
    await page.getByRole('button', { name: 'Conversations' }).tap();
    await doubleTap(page, more('Second'));
    expect(await titles()).to.deep.equal(['First', 'Second', 'Third', 'Fourth']);
  });
});
