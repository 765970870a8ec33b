import process from 'node:process';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Page } from 'playwright-core';
import { pages, routes } from '../../shared/interface.ts';
import { conversationOn } from './support/conversation.ts';
import { listOn } from './support/conversation-list.ts';
import { savedBy } from './support/downloads.ts';
import { type Line, trackLines } from './support/line-tracker.ts';
import { people } from './support/people.ts';
import { type PlayedReply, randomReplies } from './support/played-replies.ts';
import { untilRendered } from './support/rendering.ts';
import { openLiveChat, signOut } from './support/sign-in.ts';
import { visit } from './support/visit.ts';

/** `HOUR_CONVERSATIONS=30 npm run test:hour` runs a shorter test. */
const conversationCount = Number(process.env.HOUR_CONVERSATIONS ?? 300);
const millisecondsEach = 3_600_000 / conversationCount;

/** The number of conversations between two occurrences of each action. */
const interval = { followUp: 4, reading: 5, reload: 10, otherTab: 15, search: 20, offline: 25 } as const;

const questionOf = (index: number) => `Question ${index}: where do we stand, 等待時間 ${index} 👩🏽‍🔬?`;
const followUpOf = (index: number) => `And after that, number ${index}?`;
const replyNumber = (question: string) => Number(/\d+/.exec(question)?.[0]);

/** Replaces the service in every page: a question is answered with the reply of its number, chunk by chunk. */
async function answerWith(page: Page, replies: readonly PlayedReply[]): Promise<void> {
  await page.context().addInitScript(
    ({ pieces, route }) => {
      const fetchFromService = window.fetch;
      window.fetch = async (input, init) => {
        if (!String(input).endsWith(route)) return fetchFromService(input, init);
        if (!navigator.onLine) throw new TypeError('Failed to fetch');
        const { messages } = JSON.parse(String(init?.body));
        const mine = pieces[Number(/\d+/.exec(messages.at(-1).content)?.[0])] ?? [];
        const encoder = new TextEncoder();
        let next = 0;
        const body = new ReadableStream<Uint8Array>({
          async pull(controller) {
            await new Promise((done) => setTimeout(done, 60));
            const piece = mine[next];
            next += 1;
            if (piece === undefined) controller.close();
            else controller.enqueue(encoder.encode(piece));
          },
        });
        return new Response(body, { headers: { 'Content-Type': 'text/plain; charset=utf-8' } });
      };
    },
    { pieces: replies.map(({ pieces }) => pieces), route: routes.liveChat },
  );
}

/** Returns the lines that moved for a user who had scrolled up a little, and the number of checked frames. */
async function trackUntilTheEnd(page: Page): Promise<{ moved: string[]; frames: number }> {
  await trackLines(page);
  await page.mouse.move(640, 300);
  await page.mouse.wheel(0, -60);
  await untilRendered(page);
  return page.evaluate(async () => {
    const moved: string[] = [];
    let frames = 0;
    let line: Line | undefined;
    [line] = window.findLines();
    while (document.querySelector('[role=log][aria-busy=true]') !== null) {
      await new Promise(requestAnimationFrame);
      frames += 1;
      const top = line && window.topOfLine(line);
      if (line === undefined || (top !== undefined && Math.abs(top - line.top) <= 1)) continue;
      moved.push(`${line.words}: ${line.top} → ${top}`);
      [line] = window.findLines();
    }
    return { moved, frames };
  });
}

describe('An hour of use', () => {
  it(`loses no character, moves no line and logs no error in ${conversationCount} conversations`, async () => {
    const replies = randomReplies(conversationCount, 7);
    const textOf = (question: string) => replies[replyNumber(question)]?.pieces.join('') ?? '';
    const asked = new Map<string, string[]>();
    const page = await visit(pages.signIn);
    await openLiveChat(page, people.onboarded);
    await answerWith(page, replies);
    await page.clock.install({ time: new Date('2026-03-02T09:00:00Z') });
    await page.reload();
    const { ask, composer, questions } = conversationOn(page);
    const { list, create, entry, search } = listOn(page);
    const untilReplyEnded = (question: string) =>
      page.waitForFunction(
        (question) =>
          document.querySelector('[role=log][aria-busy=true]') === null &&
          [...document.querySelectorAll('[role=log] > :last-child article')].some(
            (shown) => shown.textContent === question,
          ),
        question,
      );
    const askIn = async (conversation: string, question: string) => {
      await ask(question);
      asked.set(conversation, [...(asked.get(conversation) ?? []), question]);
    };
    const moved: string[] = [];
    let frames = 0;

    for (let index = 0; index < conversationCount; index += 1) {
      const first = questionOf(index);
      const isDue = (action: keyof typeof interval) => index % interval[action] === interval[action] - 1;
      await create.click();
      await composer.fill('');
      if (isDue('offline')) await page.context().setOffline(true);
      await askIn(first, first);
      if (isDue('offline')) {
        await page.getByRole('banner').getByText('You’re offline.').waitFor();
        await page.context().setOffline(false);
      }
      if (isDue('reading')) {
        await page.locator('[role=log] > :last-child').getByRole('article', { name: 'Assistant' }).waitFor();
        const read = await trackUntilTheEnd(page);
        moved.push(...read.moved);
        frames += read.frames;
      }
      await untilReplyEnded(first);

      if (isDue('reload')) {
        await composer.fill(`Typed ${index}`);
        await page.reload();
        await questions.getByText(first, { exact: true }).waitFor();
        expect(await composer.inputValue()).to.equal(`Typed ${index}`);
        await composer.fill('');
      }
      if (isDue('followUp')) {
        const earlier = questionOf(index - 2);
        await entry(earlier).click();
        await questions.getByText(earlier, { exact: true }).waitFor();
        await askIn(earlier, followUpOf(index));
        await untilReplyEnded(followUpOf(index));
      }
      if (isDue('otherTab')) {
        const other = await page.context().newPage();
        await other.goto(new URL(page.url()).pathname);
        await conversationOn(other).questions.last().waitFor();
        expect(await conversationOn(other).questions.allTextContents()).to.deep.equal(
          await questions.allTextContents(),
        );
        await other.close();
      }
      if (isDue('search')) {
        const searched = questionOf(index >> 1);
        await search.fill(`Question ${index >> 1}: where do we stand`);
        await list.getByText(/found\.$/).waitFor();
        await entry(searched).first().click();
        await questions.getByText(searched, { exact: true }).waitFor();
        await page.keyboard.press('Escape');
        await search.fill('');
      }
      await page.clock.fastForward(millisecondsEach);
    }

    await signOut(page);
    const { content } = await savedBy(page, page.getByRole('button', { name: 'Download and delete' }));
    await page.getByRole('button', { name: 'I have the file, delete' }).click();
    const { conversations } = JSON.parse(String(content));
    const exported = new Map<string, string[]>();
    for (const { title, turns } of conversations) {
      exported.set(
        title,
        turns.map(({ question }: { question: string }) => question),
      );
      for (const { question, reply } of turns) expect(reply, question).to.equal(textOf(question));
    }
    expect(exported).to.deep.equal(asked);
    expect(moved).to.deep.equal([]);
    expect(frames).to.be.greaterThan(conversationCount);
    await page.waitForURL(pages.demo);
    const remainingKeys = await page.evaluate(() =>
      Object.keys(localStorage).filter((key) => key.includes('conversation')),
    );
    expect(remainingKeys).to.deep.equal([]);
  });
});
