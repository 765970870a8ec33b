import { expect } from 'chai';
import { before, beforeEach, describe, it } from 'mocha';
import { createFakeClock } from '../../client-package/testing/fake-clock.ts';
import { isIdle, isRetrying, until } from '../../client-package/testing/until.ts';
import { type ErrorCode, errorSentence } from '../../shared/errors.ts';
import { routes } from '../../shared/interface.ts';
import { lastTurn } from '../client/chat/conversation-harness.ts';
import { perSuite } from '../support/per-suite.ts';
import { defaultReply } from '../support/scripted-provider.ts';
import { createTestApp } from '../support/test-app.ts';
import { brokenClock } from './support/broken-clock.ts';
import { type ChatClient, createChatClient } from './support/chat-client.ts';

const hourMilliseconds = 3_600_000;

const refusal = (status: number, type: string) => ({ refuse: { status, type, message: 'Scripted.' } });

describe('Retries of the SPA', () => {
  const maxBodyBytes = 10_000;
  let cookie: string;

  const app = perSuite(() => createTestApp({ limits: { live: 1000, demo: 1000 }, maxBodyBytes }));
  before(async () => {
    ({ cookie } = await app.person());
  });
  beforeEach(() => app.provider.reset());

  const onLive = (at = app) => createChatClient({ url: at.url + routes.liveChat, cookie });
  const onDemo = (at = app) => createChatClient({ url: at.url + routes.demoChat });

  /**
   * Sends a question, waits for all retries and for another hour, and returns the seconds before each retry. Asserts
   * that a retry is sent at the exact millisecond, and that the last attempt is followed by no other.
   */
  async function retryDelaysOf({ conversation, clock, statuses }: ChatClient, question = 'Where do we stand?') {
    const initialCount = statuses.length;
    const attempts = () => statuses.length - initialCount;
    conversation.send(question);
    const delays: number[] = [];
    for (;;) {
      const { phase } = await until(conversation, (state) => isIdle(state) || isRetrying(state));
      if (phase.name !== 'retrying') break;
      const milliseconds = phase.resumesAt - clock.now();
      await clock.advance(milliseconds - 1);
      expect(conversation.getState().phase).to.equal(phase);
      expect(attempts()).to.equal(delays.length + 1);
      await clock.advance(1);
      await until(conversation, (state) => state.phase !== phase);
      delays.push(milliseconds / 1000);
    }
    await clock.advance(hourMilliseconds);
    expect(isIdle(conversation.getState())).to.equal(true);
    expect(attempts()).to.equal(delays.length + 1);
    return delays;
  }

  async function expectRetries(answer: ReturnType<typeof refusal>, status: number, delays: number[], code: ErrorCode) {
    app.provider.answerWith(answer);
    for (const client of [onLive(), onDemo()]) {
      app.provider.requests.length = 0;
      expect(await retryDelaysOf(client)).to.deep.equal(delays);
      expect(client.statuses).to.deep.equal([status, ...delays.map(() => status)]);
      expect(app.provider.requests).to.have.length(delays.length + 1);
      expect(lastTurn(client.conversation).ending).to.include({ sentence: errorSentence(code) });
    }
  }

  it('117 On 503 the SPA retries after 1, 2, 4 and 8 seconds: five attempts in all', () =>
    expectRetries(refusal(529, 'overloaded_error'), 503, [1, 2, 4, 8], 'UPSTREAM_OVERLOADED'));

  it('118 On 502 the SPA retries once', () => expectRetries(refusal(500, 'api_error'), 502, [1], 'UPSTREAM_ERROR'));

  it('119 On 429 the SPA sends nothing before Retry-After has elapsed', async () => {
    const clock = createFakeClock();
    await using limited = await createTestApp({
      shared: { storage: app.storage },
      limits: { live: 1, demo: 1 },
      clock: clock.now,
    });

    // The SPA retries by itself after a minute. The service uses the same clock and then admits the request.
    const live = createChatClient({ url: limited.url + routes.liveChat, cookie, clock });
    await live.conversation.send('The first?');
    expect(await retryDelaysOf(live, 'One too many?')).to.deep.equal([60]);
    expect(live.statuses).to.deep.equal([200, 429, 200]);
    expect(lastTurn(live.conversation).reply).to.equal(defaultReply.text);

    // A wait of an hour is too long for a retry by the SPA, and the user cannot send a question before it has elapsed.
    const demo = createChatClient({ url: limited.url + routes.demoChat, clock });
    await demo.conversation.send('The first?');
    await demo.conversation.send('One too many?');
    expect(demo.statuses).to.deep.equal([200, 429]);
    await clock.advance(hourMilliseconds - 1);
    await demo.conversation.tryAgain();
    await demo.conversation.send('And now?');
    expect(demo.statuses).to.deep.equal([200, 429]);
    await clock.advance(1);
    await demo.conversation.tryAgain();
    expect(demo.statuses).to.deep.equal([200, 429, 200]);
  });

  it('120 The SPA does not retry a 500, or a 4xx other than 429', async () => {
    await using broken = await createTestApp({ shared: { storage: app.storage }, clock: brokenClock });
    const blake = await app.person({ who: 'blake@example.com', onboarded: false });
    const url = app.url + routes.liveChat;
    const tooLarge = 'x'.repeat(maxBodyBytes);
    for (const [status, client, answer, question] of [
      [500, onLive(), refusal(401, 'authentication_error')],
      [500, onLive(broken)],
      [400, onLive(), refusal(400, 'invalid_request_error')],
      [401, createChatClient({ url })],
      [403, createChatClient({ url, cookie: blake.cookie })],
      [404, createChatClient({ url: `${url}/elsewhere`, cookie })],
      [413, onLive(), undefined, tooLarge],
      [413, onDemo(), undefined, tooLarge],
    ] as const) {
      app.provider.reset();
      if (answer !== undefined) app.provider.answerWith(answer);
      expect(await retryDelaysOf(client, question), `on ${status}`).to.deep.equal([]);
      expect(client.statuses).to.deep.equal([status]);
    }
  });
});
