import { expect } from 'chai';
import { describe, it } from 'mocha';
import { type Answer, answersWith, fails, replies } from '../../../client-package/testing/fake-backend.ts';
import { isIdle, isRetrying, until } from '../../../client-package/testing/until.ts';
import { harnessOfEachTest, lastTurn } from './conversation-harness.ts';

describe('The retry schedule', () => {
  const harness = harnessOfEachTest();

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
});
