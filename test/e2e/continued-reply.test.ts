import { expect } from 'chai';
import { describe, it } from 'mocha';
import { messages } from '../../client/language/messages/en.ts';
import { conversationPath, modelOptions } from '../../shared/interface.ts';
import { inARow, turn } from '../client/chat/turns.ts';
import { perSuite } from '../support/per-suite.ts';
import { openClipboard } from './support/clipboard.ts';
import { answerWith, conversationOn } from './support/conversation.ts';
import { listOn } from './support/conversation-list.ts';
import { needs } from './support/engine.ts';
import { loadMarkdown } from './support/markdown-chunk.ts';
import { boxOf, distanceBelowHeader, topOf, untilRendered, untilShown } from './support/rendering.ts';
import { sharedScriptedProduct } from './support/scripted-product.ts';
import { visitDemo } from './support/sign-in.ts';
import { visitDemoWithTurns, visitWithConversations } from './support/stored-conversations.ts';

const interrupted = { ending: { type: 'interrupted', requestId: '01JD-EXAMPLE' } } as const;

const earlier = turn('Where do we stand?', 'Waiting is most of the lead time.\n\n'.repeat(20));

const minutes = Array.from({ length: 40 }, (_, line) => `Line ${line} of the minutes`).join('\n');

declare global {
  interface Window {
    resumeFrames(): void;
  }
}

const mayBeIncomplete = 'This reply may be incomplete.';

describe('An incomplete reply', () => {
  const scripted = perSuite(() => sharedScriptedProduct());

  it('can be continued after the maximum length, and remains one reply with one set of actions, even after a reload', async function () {
    needs(this, 'clipboard permissions', 'request bodies');

    const { page, ask, questions, replies } = await visitDemo();
    const sentence = 'We count hours of waiting. ';
    const long = `${sentence.repeat((modelOptions.demo.maxTokens * 4) / sentence.length)}The next step`;
    const requests = await answerWith(page, long, ' is pricing.', 'Yes');
    await ask('Where does this engagement stand?');
    await page.getByRole('status').filter({ hasText: mayBeIncomplete }).waitFor();
    const notice = page.getByRole('paragraph').filter({ hasText: mayBeIncomplete });
    await notice.waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();
    await replies.getByText('The next step is pricing.').waitFor();
    await notice.waitFor({ state: 'detached' });
    expect(requests.map((request) => request.map(({ content }) => content))).to.deep.equal([
      ['Where does this engagement stand?'],
      ['Where does this engagement stand?', long, messages.problem.continueQuestion],
    ]);

    await page.reload();
    await replies.getByText('The next step is pricing.').waitFor();
    expect(await questions.allTextContents()).to.deep.equal(['Where does this engagement stand?']);
    expect(await replies.count()).to.equal(1);
    const clipboardText = await openClipboard(page);
    await page.getByRole('button', { name: 'Copy reply' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await clipboardText()).to.equal(`${long} is pricing.`);
    expect(await page.getByRole('button', { name: 'Try again' }).count()).to.equal(1);

    await ask('Is that so?');
    await replies.nth(1).getByText('Yes').waitFor();
    expect(await notice.count()).to.equal(0);
  });

  it('grows at its end while it is continued, without moving the line that is being read', async () => {
    const cut = `${'Waiting is most of the lead time.\n\n'.repeat(40)}1. One\n2. Tw`;
    const page = await visitDemoWithTurns([turn('Which steps?', cut, { ending: { type: 'stopped' } })]);
    const { replies, finished } = conversationOn(page);
    await answerWith(page, `o\n3. Three\n\n${'Week after week.\n\n'.repeat(60)}`);
    await untilShown(page.getByRole('button', { name: 'Continue', exact: true }));
    await page.evaluate(() => window.scrollTo({ top: 500, behavior: 'instant' }));
    await untilRendered(page);
    const line = replies.locator('p').nth(20);
    const before = await topOf(line);
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: 'Continue', exact: true }).click();
    await finished();
    await untilRendered(page);
    expect(await replies.count()).to.equal(1);
    expect(await replies.locator('li').allTextContents()).to.deep.equal(['One', 'Two', 'Three']);
    expect(await topOf(line)).to.be.closeTo(before, 1);
  });

  it('stays in place when it is continued, even if the browser painted no frame before its end arrived and all its lines are alike', async () => {
    const { page, ask, started, finished, replies } = await visitDemo(scripted.product);
    const line = 'Waiting is most of the lead time.\n\n';
    const half = line.repeat(Math.ceil(modelOptions.demo.maxTokens / line.length));
    const reply = scripted.nextReply();
    await loadMarkdown(page);
    await ask('Where does this engagement stand?');
    await reply.say(half);
    await started();
    await replies.locator('p').nth(20).waitFor({ state: 'attached' });
    // A hidden page has no frames either.
    await page.evaluate(() => {
      const { requestAnimationFrame } = window;
      window.requestAnimationFrame = () => 0;
      window.resumeFrames = () => Object.assign(window, { requestAnimationFrame });
    });
    await reply.say(`${half}The next st`);
    await reply.end();
    await finished();
    await page.evaluate(() => {
      window.resumeFrames();
      window.scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' });
    });
    const last = replies.locator('p', { hasText: 'The next st' });
    await untilRendered(page);
    const before = await topOf(last);
    const rest = scripted.nextReply();
    await page.getByRole('button', { name: 'Continue', exact: true }).click();
    await rest.say(`ep is pricing.\n\n${line.repeat(20)}`);
    await replies.getByText('The next step is pricing.').waitFor();
    await rest.end();
    await untilRendered(page);
    expect(await topOf(last)).to.be.closeTo(before, 1);
  });

  it('is recognized in live chat by the maximum length of live chat, and “Jump to latest” mentions a missing reply or continuation', async () => {
    const [demo, live] = [modelOptions.demo, modelOptions.live].map(
      ({ maxTokens }) => `${'words '.repeat(maxTokens / 2)}\n\n- The last word`,
    );
    const cut = inARow(turn('A long one?', demo), turn('The longest one?', live));
    const unanswered = inARow(
      turn('What is next?', 'The next step.\n\n'.repeat(60)),
      turn('And then?', '', interrupted),
    );
    const notContinued = inARow(
      turn('What is next?', 'The next step. \n\n'.repeat(60), interrupted),
      turn(messages.problem.continueQuestion, '', { isContinuation: true, ...interrupted }),
    );
    const { page, questions, error } = await visitWithConversations([
      { title: 'Longest', turns: cut },
      { title: 'Demo', turns: cut.slice(0, 1) },
      { title: 'Unanswered', turns: unanswered },
      { title: 'Not continued', turns: notContinued },
    ]);
    const notice = page.getByRole('paragraph').filter({ hasText: mayBeIncomplete });
    await notice.waitFor();
    const { entry } = listOn(page);
    await entry('Unanswered').click();
    await notice.waitFor({ state: 'detached' });
    await page.getByRole('alert').waitFor();
    await page.evaluate(() => window.scrollTo({ top: 0, behavior: 'instant' }));
    await page.getByRole('button', { name: 'No reply · Jump to latest' }).waitFor();
    await entry('Not continued').click();
    await error.getByText('Couldn’t reach the service.').waitFor();
    await page.evaluate(() => window.scrollTo({ top: 0, behavior: 'instant' }));
    await page.getByRole('button', { name: 'Continuation failed · Jump to latest' }).waitFor();
    await entry('Demo').click();
    await questions.getByText('A long one?').waitFor();
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    expect(await notice.count()).to.equal(0);
  });

  it('opens at its question after it was continued, or at the start of the conversation if both fit into the window', async () => {
    const half = turn('What is next?', 'The next ', interrupted);
    const rest = turn(messages.problem.continueQuestion, 'step is to count the moulds.', { isContinuation: true });
    const { page, questions } = await visitWithConversations([
      { title: 'Next steps', turns: inARow(earlier, half, rest) },
      { title: 'Short', turns: inARow(half, rest) },
    ]);
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 });
      await page.goto(conversationPath('Short'));
      await untilShown(page.getByText('The next step is to count the moulds.'));
      expect(await page.evaluate(() => window.scrollY)).to.equal(0);
      await page.goto(conversationPath('Next-steps'));
      await untilShown(page.getByText('The next step is to count the moulds.'));
      expect(await distanceBelowHeader(questions.last())).to.be.within(0, 30);
    }
  });

  it('opens at the start of its question, or further down if the notice would otherwise be out of view', async () => {
    const { page, dock, questions, error } = await visitWithConversations([
      { title: 'Minutes', turns: inARow(earlier, turn(minutes, 'Start with', interrupted)) },
    ]);
    await untilRendered(page);
    expect(await distanceBelowHeader(questions.last())).to.be.within(0, 30);

    await page.setViewportSize({ width: 640, height: 400 });
    // Otherwise a reload would restore the reading position.
    await page.addInitScript(() => sessionStorage.clear());
    await page.reload();
    await untilShown(error);
    expect((await boxOf(error)).bottom).to.be.at.most(await topOf(dock));
    expect(await page.getByRole('button', { name: 'Jump to latest' }).count()).to.equal(0);
  });
});
