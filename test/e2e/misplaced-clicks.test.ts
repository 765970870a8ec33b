import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Locator, Page } from 'playwright-core';
import { turn } from '../client/chat/turns.ts';
import { listOn } from './support/conversation-list.ts';
import { needs } from './support/engine.ts';
import { untilRendered } from './support/rendering.ts';
import { visitWithConversations } from './support/stored-conversations.ts';
import { phone } from './support/visit.ts';

const names = Array.from({ length: 40 }, (_, index) => `Plant ${index + 1}`);
const conversations = names.map((title) => ({ title, turns: [turn(`${title}?`, 'Yes.')] }));

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
  it('on Undo restores a conversation and opens none of those that move under the pointer', async function () {
    needs(this, 'click counts');
    const { page, questions } = await visitWithConversations(conversations);
    const { list, choose, entries } = listOn(page);
    await choose('Plant 2', 'Delete');
    await doubleClick(page, list.getByRole('button', { name: 'Undo' }));
    await untilRendered(page);
    expect(await entries.count()).to.equal(names.length);
    expect(await questions.allTextContents()).to.deep.equal(['Plant 1?']);
  });
});

describe('a double tap', () => {
  it('on Undo in the drawer restores a conversation and opens none of those below the finger', async function () {
    needs(this, 'DevTools');
    const { page, questions } = await visitWithConversations(conversations, phone);
    const { list, more, entries } = listOn(page);
    await page.getByRole('button', { name: 'Conversations' }).tap();
    await more('Plant 2').tap();
    await list.getByRole('menuitem', { name: 'Delete' }).tap();
    await doubleTap(page, list.getByRole('button', { name: 'Undo' }));
    await untilRendered(page);
    expect(await entries.count()).to.equal(names.length);
    expect(await list.isVisible()).to.equal(true);
    expect(await questions.allTextContents()).to.deep.equal(['Plant 1?']);
  });
});
