import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { type Answer, answersWith, fails, hangsUp, replies } from '../../../client-package/testing/fake-backend.ts';
import { isIdle, isRetrying, until } from '../../../client-package/testing/until.ts';
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

  it('goes by the table where a proxy puts a Retry-After on another answer than 429', async () => {
    const busy = fails('UPSTREAM_OVERLOADED', { retryAfterSeconds: 120 });
    expect(await delaysSeconds(busy, fails('INTERNAL', { retryAfterSeconds: 120 }))).to.deep.equal([1]);
    expect(harness.conversation.getState().blockedUntil).to.equal(null);
  });

  it('counts each code by its own rule in a mixture', async () => {
    const answers = [overloaded, upstreamError, overloaded, limited(5), overloaded];
    expect(await delaysSeconds(...answers)).to.deep.equal([1, 1, 2, 5]);
    expect(harness.backend.requests).to.have.length(5);
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
