import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Page } from 'playwright-core';
import { conversationAddress, pages, routes } from '../../shared/interface.ts';
import { inARow, turn } from '../client/chat/turns.ts';
import { conversationOn } from './support/conversation.ts';
import { drawn } from './support/drawn.ts';
import { holdMarkdown } from './support/held-markdown.ts';
import { keepOn } from './support/kept-conversations.ts';
import { replied, visitWith } from './support/kept-turns.ts';
import { people } from './support/people.ts';
import { openLiveChat } from './support/sign-in.ts';
import { visit } from './support/visit.ts';

const mostShift = 0.02;

const reply = [
  '## Where we stand',
  ...Array.from({ length: 8 }, (_, index) => `- **Point ${index}** of a list of many`),
  '',
  '| Week | Cost |\n|:--|--:|\n| 1 | 20 |\n| 2 | 30 |',
].join('\n');

/** From the next load on, notes how far what is on `page` moves by itself, and whether Markdown was shown as it is written. */
async function watchPaint(page: Page) {
  await page.addInitScript(() => {
    const seen = { shift: 0, wasRaw: false };
    Object.assign(window, { seen });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if ('value' in entry) seen.shift += Number(entry.value);
    }).observe({ type: 'layout-shift', buffered: true });
    new MutationObserver(() => {
      if (document.querySelector('.reply .plain')) seen.wasRaw = true;
    }).observe(document, { childList: true, subtree: true });
  });
  return () =>
    page.evaluate(() => ('seen' in window ? (window.seen as { shift: number; wasRaw: boolean }) : undefined));
}

/** Opens `address`, where what shows Markdown comes only after everything else is there. */
async function openSlowly(page: Page, address: string): Promise<void> {
  const release = await holdMarkdown(page);
  const asked = page.waitForRequest(/markdown/);
  await page.goto(address);
  await asked;
  await page.waitForLoadState('load');
  await drawn(page);
  release();
  await conversationOn(page).replies.last().getByRole('table').waitFor();
  await drawn(page);
}

describe('what the device keeps is painted once, in the browser', () => {
  it('in the demo', async () => {
    const page = await visitWith(['First?', 'Second?', 'Third?'].map((question) => replied(question, reply)));
    await conversationOn(page).replies.last().getByRole('table').waitFor();
    const seen = await watchPaint(page);
    await openSlowly(page, pages.demo);
    const painted = await seen();
    expect(painted?.wasRaw).to.equal(false);
    expect(painted?.shift).to.be.at.most(mostShift);
  });

  it('in live chat', async () => {
    const page = await visit(pages.signIn);
    await openLiveChat(page, people.onboarded);
    await conversationOn(page).composer.waitFor();
    const said = inARow(...['First?', 'Second?', 'Third?'].map((question) => turn(question, reply)));
    await keepOn(
      page,
      [{ id: 'kept', title: 'Kept', lastActiveAt: 1, shownId: 'Third?' }],
      said.map((one, order) => ({ conversation: 'kept', id: one.id, order, turn: one })),
    );
    const seen = await watchPaint(page);
    await openSlowly(page, conversationAddress('kept'));
    const painted = await seen();
    expect(painted?.wasRaw).to.equal(false);
    expect(painted?.shift).to.be.at.most(mostShift);
  });

  it('as it is written where what shows Markdown cannot be had', async () => {
    const page = await visitWith([replied('First?', 'A **bold** word.')]);
    await page.route(/markdown/, (route) => route.fulfill({ contentType: 'text/javascript', body: 'throw 0' }));
    await page.reload();
    await conversationOn(page).replies.getByText('A **bold** word.').waitFor();
  });
});

describe('what shows Markdown, in the browser', () => {
  it('is fetched when somebody points at the conversation, before they choose a question', async () => {
    const page = await visit(pages.demo);
    await page.route(routes.demoChat, (route) => route.fulfill({ body: '**Done.**' }));
    const fetched = page.waitForResponse(/markdown/);
    await page.getByRole('list', { name: 'Suggested questions' }).getByRole('button').first().hover();
    await (await fetched).finished();
  });
});
