import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { type Answer, answersWith, fails, hangsUp, replies } from '../../../client-package/testing/fake-backend.ts';
import { isIdle, isRetrying, until } from '../../../client-package/testing/until.ts';
import { retryRules } from '../../../shared/retry.ts';
import { errorCodes } from '../../shared/error-codes.ts';
import { type Harness, lastTurn, startHarness } from './conversation-harness.ts';

const limited = (retryAfterSeconds: number) => fails('RATE_LIMITED', { retryAfterSeconds });
const overloaded = fails('UPSTREAM_OVERLOADED');
const upstreamError = fails('UPSTREAM_ERROR');

describe('The retry schedule', () => {
  let harness: Harness;

  beforeEach(async () => {
    harness = await startHarness();
  });

  afterEach(() => harness.backend.close());

  /** Sends one question and lives through its retries. Resolves with the delay in seconds before each further request. */
  async function delaysSeconds(...answers: Answer[]): Promise<number[]> {
    const { backend, clock, conversation } = harness;
    backend.answer(...answers);
    conversation.send('Where do we stand?');
    const delays: number[] = [];
    for (;;) {
      const { phase } = await until(conversation, (state) => isIdle(state) || isRetrying(state));
      if (phase.name !== 'retrying') return delays;
      const delayMilliseconds = phase.resumesAt - clock.now();
      await clock.advance(delayMilliseconds - 1);
      expect(conversation.getState().phase).to.equal(phase);
      expect(backend.requests).to.have.length(delays.length + 1);
      await clock.advance(1);
      await until(conversation, (state) => state.phase !== phase);
      delays.push(delayMilliseconds / 1000);
    }
  }

  it('waits 1, 2, 4 and 8 seconds on 503 and gives up after five attempts', async () => {
    expect(await delaysSeconds(overloaded, overloaded, overloaded, overloaded, overloaded)).to.deep.equal([1, 2, 4, 8]);
    expect(harness.backend.requests).to.have.length(5);
    expect(lastTurn(harness.conversation).ending).to.include({
      type: 'failed',
      sentence: 'The model is busy right now. Try again shortly.',
      requestId: 'turn-1',
    });
  });

  it('stops retrying as soon as the model answers', async () => {
    expect(await delaysSeconds(overloaded, overloaded, replies('Week 3.'))).to.deep.equal([1, 2]);
    expect(lastTurn(harness.conversation)).to.deep.include({ reply: 'Week 3.', ending: { type: 'done' } });
  });

  it('sends once more on 502, a second later, then gives up', async () => {
    expect(await delaysSeconds(upstreamError, upstreamError)).to.deep.equal([1]);
    expect(harness.backend.requests).to.have.length(2);
    expect(lastTurn(harness.conversation).ending).to.include({ sentence: 'The model could not finish the reply.' });
  });

  it('waits on 429 for as long as Retry-After says', async () => {
    expect(await delaysSeconds(limited(7), limited(60), replies('Week 3.'))).to.deep.equal([7, 60]);
  });

  it('sends no turn more than five times for 429', async () => {
    expect(await delaysSeconds(...Array.from({ length: 5 }, () => limited(3)))).to.deep.equal([3, 3, 3, 3]);
    expect(harness.backend.requests).to.have.length(5);
  });

  it('goes by the table where a proxy puts a Retry-After on another answer than 429', async () => {
    const busy = fails('UPSTREAM_OVERLOADED', { retryAfterSeconds: 120 });
    expect(await delaysSeconds(busy, fails('INTERNAL', { retryAfterSeconds: 120 }))).to.deep.equal([1]);
    expect(harness.conversation.getState().blockedUntil).to.equal(null);
  });

  it('leaves a 429 of more than 60 seconds to the person', async () => {
    expect(await delaysSeconds(limited(61))).to.deep.equal([]);
  });

  it('leaves a 429 without Retry-After to the person', async () => {
    expect(await delaysSeconds(fails('RATE_LIMITED'))).to.deep.equal([]);
  });

  for (const code of errorCodes) {
    if (retryRules[code].attempts > 1) continue;
    it(`does not retry on ${code}`, async () => {
      expect(await delaysSeconds(fails(code))).to.deep.equal([]);
      expect(harness.backend.requests).to.have.length(1);
    });
  }

  it('counts each code by its own rule in a mixture', async () => {
    const answers = [overloaded, upstreamError, overloaded, limited(5), overloaded];
    expect(await delaysSeconds(...answers)).to.deep.equal([1, 1, 2, 5]);
    expect(harness.backend.requests).to.have.length(5);
  });

  it('gives up on the second 502 whatever came between', async () => {
    expect(await delaysSeconds(upstreamError, overloaded, upstreamError)).to.deep.equal([1, 1]);
  });

  it('does not retry a connection that was cut', async () => {
    expect(await delaysSeconds(hangsUp)).to.deep.equal([]);
    expect(harness.backend.requests).to.have.length(1);
    expect(lastTurn(harness.conversation).ending).to.deep.equal({ type: 'interrupted', requestId: 'turn-1' });
  });

  it('does not retry an error appended to text that was shown', async () => {
    const reply = replies('We are in\n\n[UPSTREAM_ERROR: The model could not finish the reply.]');
    expect(await delaysSeconds(reply)).to.deep.equal([]);
    expect(lastTurn(harness.conversation).reply).to.equal('We are in');
  });

  it('goes by the status where the body is a proxy’s own', async () => {
    expect(await delaysSeconds(answersWith(503, '<h1>Unavailable</h1>'), replies('Week 3.'))).to.deep.equal([1]);
  });

  it('does not retry other statuses without a code of ours', async () => {
    expect(await delaysSeconds(answersWith(504, '<h1>Gateway Timeout</h1>'))).to.deep.equal([]);
    expect(lastTurn(harness.conversation).ending).to.include({ sentence: 'The service answered with status 504.' });
  });

  it('sends every attempt with the same request id, to the conversation that the first one named', async () => {
    const conversationId = 'c123456789012345678901234';
    await delaysSeconds(fails('UPSTREAM_OVERLOADED', { conversationId }), overloaded, replies('Week 3.'));
    const messages = [{ role: 'user', content: 'Where do we stand?' }];
    expect(harness.backend.requests).to.deep.equal([
      { requestId: 'turn-1', body: { messages } },
      { requestId: 'turn-1', body: { messages, conversationId } },
      { requestId: 'turn-1', body: { messages, conversationId } },
    ]);
  });

  it('tells which attempt of how many comes next', async () => {
    const { backend, clock, conversation } = harness;
    backend.answer(upstreamError, overloaded, replies('Week 3.'));
    const sent = conversation.send('Where do we stand?');
    const first = await until(conversation, isRetrying);
    expect(first.phase).to.include({ attempt: 2, attempts: 2 });
    await clock.advance(1000);
    const second = await until(conversation, (state) => isRetrying(state) && state.phase !== first.phase);
    expect(second.phase).to.include({ attempt: 3, attempts: 5 });
    await clock.advance(1000);
    await sent;
  });
});
