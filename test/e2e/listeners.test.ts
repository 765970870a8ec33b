import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { CDPSession } from 'playwright-core';
import { pages } from '../../shared/interface.ts';
import { turn } from '../client/chat/turns.ts';
import { conversationOn } from './support/conversation.ts';
import { listOn } from './support/conversation-list.ts';
import { needs } from './support/engine.ts';
import { people } from './support/people.ts';
import { openLiveChat } from './support/sign-in.ts';
import { storeConversations } from './support/stored-conversations.ts';
import { visit } from './support/visit.ts';

const titles = ['Lead times', 'Scrap', 'Tariffs'];
const targets = ['window', 'document', 'document.documentElement', 'document.body'];

/** Returns the number of the page's listeners for each event, as `window pagehide`. */
async function countListeners(devTools: CDPSession): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const target of targets) {
    const { result } = await devTools.send('Runtime.evaluate', { expression: target });
    const { objectId = '' } = result;
    const { listeners } = await devTools.send('DOMDebugger.getEventListeners', { objectId });
    for (const { type } of listeners) counts[`${target} ${type}`] = (counts[`${target} ${type}`] ?? 0) + 1;
  }
  return counts;
}

describe('A conversation that is no longer open', () => {
  it('leaves no listeners on the page', async function () {
    needs(this, 'DevTools');

    const page = await visit(pages.signIn);
    const { questions, composer } = conversationOn(page);
    const { entry } = listOn(page);
    await openLiveChat(page, people.onboarded);
    await composer.waitFor();
    await storeConversations(
      page,
      titles.map((title) => ({ title, turns: [turn(`What about ${title}?`, 'In week 3.')] })),
    );
    await page.reload();
    const devTools = await page.context().newCDPSession(page);

    async function openEach(): Promise<Record<string, number>> {
      for (const title of titles) {
        await entry(title).click();
        await questions.getByText(`What about ${title}?`).waitFor();
      }
      return countListeners(devTools);
    }

    await openEach();
    const before = await openEach();
    expect(before).to.include.keys('window pagehide');
    expect(await openEach()).to.deep.equal(before);
  });
});
