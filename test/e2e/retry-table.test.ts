import { expect } from 'chai';
import { describe, it } from 'mocha';
import { messages } from '../../client/language/messages/en.ts';
import { routes } from '../../shared/interface.ts';
import { openClipboard } from './support/clipboard.ts';
import { isFocused } from './support/focus.ts';
import { type Person, people } from './support/people.ts';
import { visitDemo, visitLiveChat } from './support/sign-in.ts';
import { freezeClock } from './support/visit.ts';

const { problem } = messages;
const longAfter = 3_600_000;

/** Live chat of `person`, or the demo, on a clock that only the test advances; `attempts` counts the requests for a reply. */
async function visitFrozen(person?: Person) {
  const { page, ...conversation } = await (person === undefined ? visitDemo() : visitLiveChat(person));
  // The page shows the session from a timer, which a frozen clock would never fire.
  await conversation.composer.waitFor();
  await freezeClock(page);
  let attempts = 0;
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname === routes.demoChat || pathname === routes.liveChat) attempts += 1;
  });
  return { page, ...conversation, attempts: () => attempts };
}

describe('the retry table in the browser', () => {
  it('waits 1, 2, 4 and 8 seconds on 503 and gives up; another try can be cancelled, or sent before its wait is over', async () => {
    const { page, ask, begun, composer, error, tryAgain, attempts } = await visitFrozen();

    await ask('please be overloaded');
    for (const [failures, seconds] of [1, 2, 4, 8].entries()) {
      await page.getByText(`The model is busy. Trying again in ${seconds} s (attempt ${failures + 2} of 5)`).waitFor();
      await page.clock.runFor(seconds * 1000 - 1);
      expect(attempts()).to.equal(failures + 1);
      await page.clock.runFor(1);
    }
    await error.getByText(problem.modelBusy).waitFor();
    await page.clock.fastForward(longAfter);
    expect(attempts()).to.equal(5);

    await tryAgain.click();
    await page.getByText('(attempt 2 of 5)').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('You stopped the reply before it began.').waitFor();
    expect(await isFocused(composer)).to.equal(true);
    await page.clock.fastForward(longAfter);
    expect(attempts()).to.equal(6);
    expect(await tryAgain.isEnabled()).to.equal(true);

    await ask('please be overloaded twice');
    await page.getByText('Trying again in 1 s (attempt 2 of 5)').waitFor();
    await page.clock.runFor(1000);
    await page.getByText('Trying again in 2 s (attempt 3 of 5)').waitFor();
    await page.clock.runFor(1000);
    await page.getByText('Trying again in 1 s (attempt 3 of 5)').waitFor();
    await page.getByRole('button', { name: 'Try now' }).click();
    await begun();
  });

  it('tries once more on 502, and keeps a reply that breaks off with its reason, its request id and a way to ask again', async () => {
    const { page, ask, attempts, error, questions, replies, tryAgain } = await visitFrozen();

    await ask('please fail');
    await page.getByText('Trying again in 1 s (attempt 2 of 2)').waitFor();
    await page.clock.runFor(1000);
    await error.getByText(`${problem.modelFailed}${problem.modelFailedNext}`).waitFor();
    await page.clock.fastForward(longAfter);
    expect(attempts()).to.equal(2);
    expect(await tryAgain.isEnabled()).to.equal(true);

    const answered = page.waitForResponse(routes.demoChat);
    await ask('please fail midway');
    const requestId = (await answered).headers()['x-request-id'];
    await error.getByText('What has arrived is kept.').waitFor();
    await error.getByText(problem.modelFailed).waitFor();
    const clipboard = await openClipboard(page);
    await error.getByText('Details').click();
    await error.getByRole('button', { name: 'Copy request id' }).click();
    await error.getByRole('button', { name: 'Copied' }).waitFor();
    expect([await error.locator('code').textContent(), await clipboard()]).to.deep.equal([requestId, requestId]);
    expect(await replies.last().textContent())
      .to.match(/^This is the offline stand-in: no language model is connected\./)
      .and.not.contain('UPSTREAM');
    await page.clock.fastForward(longAfter);
    expect(attempts()).to.equal(3);

    const again = page.waitForRequest(routes.demoChat);
    await tryAgain.click();
    expect(await (await again).headerValue('x-request-id')).to.equal(requestId);
    expect(await questions.allTextContents()).to.deep.equal(['please fail', 'please fail midway']);
  });

  it('waits up to an hour on 429 of the demo before the person can send again, and shows a notice instead of an error', async () => {
    const { page, ask, attempts, composer, error, send } = await visitFrozen();
    const tryAgain = page.getByRole('button', { name: /^Try again/ });
    for (let request = 1; request <= 15; request += 1) await page.request.post(routes.demoChat);

    const refused = page.waitForResponse(routes.demoChat);
    await ask('One too many?');
    const seconds = Number((await refused).headers()['retry-after']);
    expect(seconds).to.be.within(3_540, 3_600);
    await page.getByText(messages.limit.demo).waitFor();
    expect(await error.count()).to.equal(0);
    await composer.fill('And now?');
    await page.getByText(/^You can send at \d/).waitFor();
    await composer.press('Enter');
    await page.clock.fastForward(seconds * 1000 - 1);
    await page.getByText(/^You can send in 1 s$/).waitFor();
    expect([await send.isEnabled(), await tryAgain.isEnabled()]).to.deep.equal([false, false]);
    await page.clock.runFor(1);
    expect([await send.isEnabled(), await tryAgain.isEnabled()]).to.deep.equal([true, true]);
    expect([await send.textContent(), await tryAgain.textContent()]).to.deep.equal(['Send', 'Try again']);
    expect(attempts()).to.equal(1);
  });

  it('neither tries again on 400 and 500 of live chat nor offers it, and on 429 waits at least for Retry-After', async () => {
    const { page, ask, attempts, error, tryAgain } = await visitFrozen(people.atTheLimit);

    for (const [index, { phrase, sentence }] of [
      { phrase: 'please reject the key', sentence: problem.modelSetUp },
      { phrase: 'please refuse the request', sentence: problem.modelRefused },
    ].entries()) {
      await ask(phrase);
      await error.getByText(sentence).waitFor();
      expect(await tryAgain.count()).to.equal(0);
      await page.clock.fastForward(longAfter);
      expect(attempts()).to.equal(index + 1);
    }

    for (let request = 1; request <= 60; request += 1) await page.request.post(routes.liveChat);
    const refused = page.waitForResponse(routes.liveChat);
    await ask('One too many?');
    const seconds = Number((await refused).headers()['retry-after']);
    await page.getByText('(attempt 2 of 5)').waitFor();
    expect(await page.getByRole('button', { name: 'Try now' }).count()).to.equal(0);
    await page.clock.fastForward(seconds * 1000 - 1);
    expect(attempts()).to.equal(3);
    await page.clock.runFor(1);
    await page.getByText('(attempt 3 of 5)').waitFor();
    expect(attempts()).to.equal(4);
  });
});
