import { expect } from 'chai';
import { describe, it } from 'mocha';
import { messages as german } from '../../client/language/messages/de.ts';
import { messages } from '../../client/language/messages/en.ts';
import { formatAppendedError } from '../../shared/errors.ts';
import { conversationAddress, modelOptions, routes } from '../../shared/interface.ts';
import type { Message } from '../../shared/messages.ts';
import { inARow, turn } from '../client/chat/turns.ts';
import { expectAccessible } from './support/axe.ts';
import { distanceBelowHeader, topOf, untilRendered } from './support/rendering.ts';
import { visitDemo } from './support/sign-in.ts';
import { visitWithConversations } from './support/stored-conversations.ts';

const interrupted = { ending: { type: 'interrupted', requestId: '01JD-EXAMPLE' } } as const;

const earlier = turn('Where do we stand?', 'Waiting is most of the lead time.\n\n'.repeat(20));

const minutes = Array.from({ length: 40 }, (_, line) => `Line ${line} of the minutes`).join('\n');

describe('An incomplete reply', () => {
  it('can be continued after the maximum length, and shows the continuation below it, even after a reload', async () => {
    const { page, ask, finished, questions, replies } = await visitDemo();
    const sentence = 'We count hours of waiting. ';
    const long = `${sentence.repeat((modelOptions.demo.maxTokens * 4) / sentence.length)}The next step`;
    const bodies = [long, 'is pricing.', 'Yes'];
    const requests: string[] = [];
    await page.route(routes.demoChat, async (route) => {
      requests.push(route.request().postDataJSON().messages.at(-1).content);
      await route.fulfill({ contentType: 'text/plain; charset=utf-8', status: 200, body: bodies.shift() ?? '' });
    });
    await ask('Where does this engagement stand?');
    await finished();
    const notice = page.getByText('This reply may have reached its maximum length.');
    await notice.waitFor();
    await expectAccessible(page, 'a reply that may have been cut');
    await page.getByRole('button', { name: 'Continue' }).click();
    await replies.nth(1).getByText('is pricing.').waitFor();
    await notice.waitFor({ state: 'detached' });
    expect(requests).to.deep.equal(['Where does this engagement stand?', messages.problem.continueQuestion]);
    expect(await questions.count()).to.equal(1);
    await page.getByText('Continued', { exact: true }).waitFor();

    await page.reload();
    await page.getByText('Continued', { exact: true }).waitFor();
    expect(await questions.allTextContents()).to.deep.equal(['Where does this engagement stand?']);
    await page.evaluate(() => localStorage.setItem('advisory-chat:language', 'de'));
    await page.reload();
    await page.getByText(german.conversation.continued, { exact: true }).waitFor();
    await page.evaluate(() => localStorage.removeItem('advisory-chat:language'));
    await page.reload();

    await ask('Is that so?');
    await replies.nth(2).getByText('Yes').waitFor();
    expect(await notice.count()).to.equal(0);
  });

  it('can be continued after a failure from the palette, and the model receives the partial text', async () => {
    const { page, ask, questions, replies } = await visitDemo();
    const half = 'The next step is';
    const bodies = [half + formatAppendedError('UPSTREAM_ERROR'), 'pricing.'];
    const requests: Message[][] = [];
    await page.route(routes.demoChat, async (route) => {
      requests.push(route.request().postDataJSON().messages);
      await route.fulfill({ contentType: 'text/plain; charset=utf-8', status: 200, body: bodies.shift() ?? '' });
    });
    await ask('Where does this engagement stand?');
    const actions = page.locator('.notice').getByRole('button', { name: /^(Continue|Try again)$/ });
    await actions.first().waitFor();
    expect(await actions.allTextContents()).to.deep.equal(['Continue', 'Try again']);
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: 'Continue the reply' }).click();
    await replies.nth(1).getByText('pricing.').waitFor();
    await page.getByText('Continued', { exact: true }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').waitFor();
    expect(await page.getByRole('option', { name: /^(Continue|Try again)/ }).count()).to.equal(0);
    await page.keyboard.press('Escape');
    expect(requests[1]?.map(({ content }) => content)).to.deep.equal([
      'Where does this engagement stand?',
      half,
      messages.problem.continueQuestion,
    ]);
    expect(await questions.count()).to.equal(1);
    expect(await actions.count()).to.equal(0);
  });

  it('opens at its question if it was continued, and at the start of the conversation if all of it fits into the window', async () => {
    const half = turn('What is next?', 'The next', interrupted);
    const rest = turn(messages.problem.continueQuestion, 'step is to count the moulds.', { isContinuation: true });
    const { page, questions } = await visitWithConversations([
      { title: 'Next steps', turns: inARow(earlier, half, rest) },
      { title: 'Short', turns: inARow(half, rest) },
    ]);
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 });
      await page.goto(conversationAddress('Short'));
      await page.getByText('step is to count the moulds.').waitFor();
      await untilRendered(page);
      expect(await page.evaluate(() => window.scrollY)).to.equal(0);
      await page.goto(conversationAddress('Next-steps'));
      await page.getByText('step is to count the moulds.').waitFor();
      await untilRendered(page);
      expect(await distanceBelowHeader(questions.last())).to.be.within(0, 30);
    }
  });

  it('opens with its question from the start, or as much of it as leaves room for the notice', async () => {
    const { page, questions, error } = await visitWithConversations([
      { title: 'Minutes', turns: inARow(earlier, turn(minutes, 'Start with', interrupted)) },
    ]);
    await untilRendered(page);
    expect(await distanceBelowHeader(questions.last())).to.be.within(0, 30);

    await page.setViewportSize({ width: 640, height: 400 });
    // Otherwise a reload would restore the reading position.
    await page.addInitScript(() => sessionStorage.clear());
    await page.reload();
    await error.getByRole('button', { name: 'Try again' }).waitFor();
    await untilRendered(page);
    const { y = 0, height = 0 } = (await error.boundingBox()) ?? {};
    expect(y + height).to.be.at.most(await topOf(page.locator('.dock')));
    expect(await page.locator('.jump-to-latest').count()).to.equal(0);
  });
});
