import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { CDPSession, Page } from 'playwright-core';
import { inARow, turn } from '../client/chat/turns.ts';
import { conversationOn } from './support/conversation.ts';
import { conversationUrl, listOn } from './support/conversation-list.ts';
import { noExtraHeaders } from './support/diagrams.ts';
import { needs } from './support/engine.ts';
import { isFocused } from './support/focus.ts';
import { people } from './support/people.ts';
import { topOf, untilRendered, untilShown } from './support/rendering.ts';
import { signInAs, visitLiveChat } from './support/sign-in.ts';
import { visitWithConversations } from './support/stored-conversations.ts';
import { visit } from './support/visit.ts';

const pathOf = (page: Page) => new URL(page.url()).pathname;

describe('The URL of a conversation', () => {
  it('is unique, works with Back, reload, bookmarks and Ctrl+click, and restores the messages, the draft and the page title', async () => {
    const { page, composer, questions, exchange } = await visitLiveChat(people.onboarded);
    await page.waitForURL(conversationUrl);
    expect(await isFocused(composer)).to.equal(true);
    await exchange('Where do we stand?');
    const first = pathOf(page);
    expect(await page.title()).to.equal('Where do we stand? · Advisory Chat');

    const { create, entry, titles } = listOn(page);
    await create.click();
    expect(await questions.count()).to.equal(0);
    const opened = page.context().waitForEvent('page');
    await entry('Where do we stand?').click({ modifiers: ['Control'] });
    const otherTab = await opened;
    expect(await questions.count()).to.equal(0);
    await exchange('Which suppliers matter?');
    const second = pathOf(page);
    expect(second).to.not.equal(first);
    expect(await titles()).to.deep.equal(['Which suppliers matter?', 'Where do we stand?']);
    await composer.fill('More on suppliers');

    await page.goBack();
    await questions.getByText('Where do we stand?').waitFor();
    expect(pathOf(page)).to.equal(first);
    expect(await composer.inputValue()).to.equal('');
    expect(await isFocused(composer)).to.equal(true);
    await page.goForward();
    await questions.getByText('Which suppliers matter?').waitFor();
    expect(await isFocused(composer)).to.equal(true);
    await page.reload();
    await questions.getByText('Which suppliers matter?').waitFor();
    expect(pathOf(page)).to.equal(second);
    expect(await composer.inputValue()).to.equal('More on suppliers');

    expect(pathOf(otherTab)).to.equal(first);
    await conversationOn(otherTab).questions.getByText('Where do we stand?').waitFor();
    await untilShown(conversationOn(otherTab).replies.locator('p').first());
    // The whole conversation is in view.
    await otherTab.getByRole('button', { name: 'Jump to latest' }).waitFor({ state: 'detached' });
  });

  it('restores the line that was being read below a diagram, even though the diagram is drawn later', async () => {
    const diagram = `\`\`\`mermaid\nflowchart TD\n${'a-->b\n'.repeat(3)}b-->c\nc-->d\n\`\`\``;
    const text = Array.from({ length: 60 }, (_, index) => `Paragraph ${index} of the reply.`).join('\n\n');
    const turns = inARow(turn('How?', `${diagram}\n\n${text}`), turn('And then?', 'Nothing.'));
    const { page } = await visitWithConversations([{ title: 'Flow', turns }], noExtraHeaders);
    const line = page.getByText('Paragraph 20 of the reply.');
    const untilDrawn = () => page.getByTitle('Diagram').waitFor();
    await line.scrollIntoViewIfNeeded();
    await untilDrawn();
    await line.evaluate((element) => element.scrollIntoView({ block: 'center', behavior: 'instant' }));
    await untilRendered(page);
    const before = await topOf(line);
    await page.reload();
    await line.waitFor();
    await untilDrawn();
    await untilRendered(page);
    expect(await topOf(line)).to.be.closeTo(before, 2);
  });

  it('restores the reading position on Back, Forward and reload, and when the conversation is chosen again', async () => {
    const reply = 'A **reply** of some lines.\n\n- One\n- Two\n\n| a | b |\n|--|--|\n| 1 | 2 |\n';
    const conversations = ['Lately', 'Before'].map((title) => {
      const turns = Array.from({ length: 30 }, (_, index) => turn(`${title} ${index}?`, reply));
      return { title, turns: inARow(...turns) };
    });
    const { page, questions } = await visitWithConversations(conversations);
    const { entry } = listOn(page);
    const question = (words: string) => questions.getByText(words, { exact: true });
    /** Opens a conversation and scrolls until the question `words` is in the middle of the window. */
    const readTo = async (name: string, words: string) => {
      await entry(name).click();
      await question(`${name} 0?`).waitFor({ state: 'attached' });
      // Waits for the rendered Markdown, because unrendered text wraps at other positions.
      await page.locator(`[data-turn="${name} 0?"] strong`).waitFor({ state: 'attached' });
      // Finds and checks the element in one step, because rendering the turn again replaces it.
      await page.waitForFunction((words) => {
        const element = document.querySelector(`[data-turn="${words}"] article`);
        element?.scrollIntoView({ block: 'center', behavior: 'instant' });
        const top = element?.getBoundingClientRect().top ?? -1;
        return top > 0 && top < window.innerHeight;
      }, words);
      await untilRendered(page);
      return topOf(question(words));
    };
    // A browser scrolls by whole pixels, first to the position and again when the rest of the conversation is rendered.
    const untilAt = (words: string, top: number) =>
      page.waitForFunction(
        ({ words, top }) => {
          const element = document.querySelector(`[data-turn="${words}"] article`);
          const isShown = element?.checkVisibility({ contentVisibilityAuto: true }) === true;
          return isShown && Math.abs(element.getBoundingClientRect().top - top) <= 2;
        },
        { words, top },
      );

    const before = await readTo('Before', 'Before 10?');
    const lastPosition = await readTo('Lately', 'Lately 20?');
    await page.goBack();
    await untilAt('Before 10?', before);
    await page.goForward();
    await untilAt('Lately 20?', lastPosition);
    await page.reload();
    await untilAt('Lately 20?', lastPosition);
    await readTo('Before', 'Before 10?');
    await entry('Lately').click();
    await untilAt('Lately 20?', lastPosition);
  });

  it('leads to a notice after sign-in if this device does not have the conversation, and creates no conversation', async () => {
    const page = await visit('/c/of-another-device');
    await signInAs(page, people.onboarded);
    await page.getByRole('heading', { name: 'This conversation isn’t on this device' }).waitFor();
    expect(pathOf(page)).to.equal('/c/of-another-device');
    expect(await listOn(page).entries.count()).to.equal(0);

    await page.getByRole('main').getByRole('button', { name: 'New conversation' }).click();
    await conversationOn(page).composer.waitFor();
    expect(pathOf(page)).to.match(conversationUrl).and.not.equal('/c/of-another-device');
  });
});

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

    const { page, questions } = await visitWithConversations(
      titles.map((title) => ({ title, turns: [turn(`What about ${title}?`, 'In week 3.')] })),
    );
    const { entry } = listOn(page);
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
