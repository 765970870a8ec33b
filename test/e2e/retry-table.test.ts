import { expect } from 'chai';
import { describe, it } from 'mocha';
import { messages } from '../../client/language/messages/en.ts';
import { routes } from '../../shared/interface.ts';
import { openClipboard } from './support/clipboard.ts';
import { needs } from './support/engine.ts';
import { isFocused } from './support/focus.ts';
import { visitDemo } from './support/sign-in.ts';
import { freezeClock } from './support/visit.ts';

const { problem } = messages;
const longAfter = 3_600_000;

/** Opens the demo and freezes its clock once it has rendered the session, which it does in a timer. `attempts` counts the chat requests. */
async function visitFrozen() {
  const { page, ...conversation } = await visitDemo();
  await freezeClock(page);
  let attempts = 0;
  page.on('request', (request) => {
    if (new URL(request.url()).pathname === routes.demoChat) attempts += 1;
  });
  return { page, ...conversation, attempts: () => attempts };
}

describe('Retries', () => {
  it('follow a 503 after 1, 2, 4 and 8 seconds; a retry can be cancelled, or sent before its delay has elapsed', async () => {
    const { page, ask, finished, composer, error, tryAgain, attempts } = await visitFrozen();

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
    await page.getByText('Stopped', { exact: true }).waitFor();
    expect(await isFocused(composer)).to.equal(true);
    await page.clock.fastForward(longAfter);
    expect(attempts()).to.equal(6);
    expect(await tryAgain.isEnabled()).to.equal(true);

    await ask('please be overloaded twice');
    await page.getByText('(attempt 2 of 5)').waitFor();
    await page.getByRole('button', { name: 'Try now' }).click();
    await page.getByText('(attempt 3 of 5)').waitFor();
    await page.getByRole('button', { name: 'Try now' }).click();
    await finished();
  });

  it('do not follow a reply that fails mid-stream: the reply keeps its text, the error, the request ID and a Try again button', async function () {
    needs(this, 'clipboard permissions');

    const { page, ask, attempts, error, questions, replies, tryAgain } = await visitFrozen();

    const answered = page.waitForResponse(routes.demoChat);
    await ask('please fail midway');
    const requestId = (await answered).headers()['x-request-id'];
    await error.getByText(problem.modelFailed).waitFor();
    const clipboard = await openClipboard(page);
    await error.getByText('Details').click();
    await error.getByRole('button', { name: 'Copy request ID' }).click();
    await error.getByRole('button', { name: 'Copied' }).waitFor();
    expect([await error.locator('code').textContent(), await clipboard()]).to.deep.equal([requestId, requestId]);
    expect(await replies.last().textContent())
      .to.match(/^This is the offline stand-in: no language model is connected\./)
      .and.not.contain('UPSTREAM');
    await page.clock.fastForward(longAfter);
    expect(attempts()).to.equal(1);

    const again = page.waitForRequest(routes.demoChat);
    await tryAgain.click();
    expect(await (await again).headerValue('x-request-id')).to.equal(requestId);
    expect(await questions.allTextContents()).to.deep.equal(['please fail midway']);
  });

  it('in the demo wait up to an hour after a 429, with a notice in place of an error', async () => {
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
    await page.getByText(/^You can send again at \d/).waitFor();
    await composer.press('Enter');
    await page.clock.fastForward(seconds * 1000 - 1);
    await page.getByText(/^You can send again in 1 s$/).waitFor();
    expect([await send.isEnabled(), await tryAgain.isEnabled()]).to.deep.equal([false, false]);
    await page.clock.runFor(1);
    expect([await send.isEnabled(), await tryAgain.isEnabled()]).to.deep.equal([true, true]);
    expect([await send.textContent(), await tryAgain.textContent()]).to.deep.equal(['Send', 'Try again']);
    expect(attempts()).to.equal(1);
  });
});
