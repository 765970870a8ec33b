import { expect } from 'chai';
import { describe, it } from 'mocha';
import { messages } from '../../client/language/messages/en.ts';
import { pages, routes } from '../../shared/interface.ts';
import { countAttempts } from './support/attempts.ts';
import { conversationOn } from './support/conversation.ts';
import { visitDemo } from './support/sign-in.ts';
import { freezeClock, visit } from './support/visit.ts';

const firstWords = 'This is the offline stand-in: no language model is connected.';

describe('a reply that does not come to its end, in the browser', () => {
  it('stays as far as it came when the model fails, with the reason, the request id and a way to ask again', async () => {
    const page = await visit(pages.demo);
    await freezeClock(page);
    const { ask, error, questions, replies, tryAgain } = conversationOn(page);
    const attempts = countAttempts(page);

    const answered = page.waitForResponse(routes.demoChat);
    await ask('please fail midway');
    await error.getByText(messages.problem.modelFailed).waitFor();
    const requestId = (await answered).headers()['x-request-id'];
    expect(await error.locator('code').textContent()).to.equal(requestId);
    expect(await replies.textContent())
      .to.match(new RegExp(`^${firstWords}`))
      .and.not.contain('UPSTREAM');
    await page.clock.fastForward(3_600_000);
    expect(attempts()).to.equal(1);

    const again = page.waitForRequest(routes.demoChat);
    await tryAgain.click();
    expect(await (await again).headerValue('x-request-id')).to.equal(requestId);
    expect(await questions.count()).to.equal(1);
  });

  it('stays as far as it came when the page is reloaded, and can be asked for again', async () => {
    const { page, ask, begun, questions, replies, tryAgain } = await visitDemo();

    await ask('please be slow');
    await replies.filter({ hasText: 'This is the' }).waitFor();
    await page.reload();
    await page.getByText('This reply was interrupted: the page was left before it was complete.').waitFor();
    expect(firstWords.startsWith((await replies.textContent())?.trim() ?? '?')).to.equal(true);
    await tryAgain.click();
    await begun();
    expect(await questions.allTextContents()).to.deep.equal(['please be slow']);
  });
});
