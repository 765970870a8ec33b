import { expect } from 'chai';
import { describe, it } from 'mocha';
import { messages } from '../../client/language/messages/en.ts';
import { routes } from '../../shared/interface.ts';
import { openClipboard } from './support/clipboard.ts';
import { isFocused } from './support/focus.ts';
import { hideTab, showPage } from './support/hidden-tab.ts';
import { type Person, people } from './support/people.ts';
import { visitDemo, visitLiveChat } from './support/sign-in.ts';
import { freezeClock } from './support/visit.ts';

const { problem } = messages;
const longAfter = 3_600_000;

/** Live chat of `person`, or the demo: time passes only as the test winds its clock, and `attempts` counts the turns sent. */
async function visitFrozen(person?: Person) {
  const { page, ...conversation } = await (person === undefined ? visitDemo() : visitLiveChat(person));
  // The session is shown from a timer, which a frozen clock would never fire.
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
  it('117: on 503 waits 1, 2, 4 and 8 seconds, and gives up after five attempts', async () => {
    const { page, ask, error, tryAgain, attempts } = await visitFrozen();

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
    expect(await tryAgain.isEnabled()).to.equal(true);
  });

  it('117: counts the wait down and shows the answer once the overload is over', async () => {
    const { page, ask, begun } = await visitFrozen();

    await ask('please be overloaded twice');
    await page.getByText('Trying again in 1 s (attempt 2 of 5)').waitFor();
    await page.clock.runFor(1000);
    await page.getByText('Trying again in 2 s (attempt 3 of 5)').waitFor();
    await page.clock.runFor(1000);
    await page.getByText('Trying again in 1 s (attempt 3 of 5)').waitFor();
    await page.getByRole('button', { name: 'Try now' }).click();
    await begun();
  });

  it('117: sends nothing more once the person cancels the wait, and gives the keyboard back to the message field', async () => {
    const { page, ask, composer, tryAgain, attempts } = await visitFrozen();

    await ask('please be overloaded');
    await page.getByText('(attempt 2 of 5)').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('You stopped the reply before it began.').waitFor();
    expect(await isFocused(composer)).to.equal(true);
    await page.clock.fastForward(longAfter);
    expect(attempts()).to.equal(1);
    expect(await tryAgain.isEnabled()).to.equal(true);
  });

  it('118: on 502 tries once more, then says so and leaves the rest to the person', async () => {
    const { page, ask, error, tryAgain, attempts } = await visitFrozen();

    await ask('please fail');
    await page.getByText('Trying again in 1 s (attempt 2 of 2)').waitFor();
    await page.clock.runFor(1000);
    await error.getByText(`${problem.modelFailed}${problem.modelFailedNext}`).waitFor();
    await page.clock.fastForward(longAfter);
    expect(attempts()).to.equal(2);
    expect(await tryAgain.isEnabled()).to.equal(true);
  });

  it('119: on 429 of the demo waits out an hour before the person can send again, and says so calmly', async () => {
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

  it('119: on 429 of live chat waits at least the seconds of Retry-After, and nothing shortens that', async () => {
    const { page, ask, attempts } = await visitFrozen(people.atTheLimit);
    for (let request = 1; request <= 60; request += 1) await page.request.post(routes.liveChat);

    const refused = page.waitForResponse(routes.liveChat);
    await ask('One too many?');
    const seconds = Number((await refused).headers()['retry-after']);
    await page.getByText('(attempt 2 of 5)').waitFor();
    expect(await page.getByRole('button', { name: 'Try now' }).count()).to.equal(0);
    await page.clock.fastForward(seconds * 1000 - 1);
    expect(attempts()).to.equal(1);
    await page.clock.runFor(1);
    await page.getByText('(attempt 3 of 5)').waitFor();
    expect(attempts()).to.equal(2);
  });

  const notRetried = [
    { phrase: 'please reject the key', status: 500, sentence: problem.modelSetUp },
    { phrase: 'please refuse the request', status: 400, sentence: problem.modelRefused },
  ];
  for (const { phrase, status, sentence } of notRetried) {
    it(`120: on ${status} says what is wrong, does not try again and does not offer to`, async () => {
      const { page, ask, error, tryAgain, attempts } = await visitFrozen(people.onboarded);

      await ask(phrase);
      await error.getByText(sentence).waitFor();
      expect(await tryAgain.count()).to.equal(0);
      await page.clock.fastForward(longAfter);
      expect(attempts()).to.equal(1);
    });
  }
});

describe('a reply that the model does not end, in the browser', () => {
  it('stays as far as it came, with the reason, the request id and a way to ask again', async () => {
    const { page, ask, attempts, error, questions, replies, tryAgain } = await visitFrozen();
    const answered = page.waitForResponse(routes.demoChat);
    await ask('please fail midway');
    await error.getByText(problem.modelFailed).waitFor();
    await error.getByText('What has arrived is kept.').waitFor();
    const requestId = (await answered).headers()['x-request-id'];
    const clipboard = await openClipboard(page);
    await error.getByRole('button', { name: 'Copy request id' }).click();
    await error.getByRole('button', { name: 'Copied' }).waitFor();
    expect([await error.locator('code').textContent(), await clipboard()]).to.deep.equal([requestId, requestId]);
    expect(await replies.textContent())
      .to.match(/^This is the offline stand-in: no language model is connected\./)
      .and.not.contain('UPSTREAM');
    await page.clock.fastForward(longAfter);
    expect(attempts()).to.equal(1);

    const again = page.waitForRequest(routes.demoChat);
    await tryAgain.click();
    expect(await (await again).headerValue('x-request-id')).to.equal(requestId);
    expect(await questions.count()).to.equal(1);
  });
});

describe('the retry table in a hidden tab', () => {
  it('sends the next attempt as soon as the tab is visible again, and never before its wait is over', async () => {
    const { page, ask, attempts } = await visitFrozen();
    await hideTab(page);
    await ask('please be overloaded');
    await page.getByText('(attempt 2 of 5)').waitFor();

    await page.clock.runFor(900);
    await showPage(page, true);
    await showPage(page, false);
    await page.clock.runFor(10_000);
    expect(attempts()).to.equal(1);

    await showPage(page, true);
    await page.getByText('(attempt 3 of 5)').waitFor();
    expect(attempts()).to.equal(2);
  });
});
