import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Phase } from '../../../client/chat/conversation-state.ts';
import { waitingTime } from '../../../client/chat/waiting-time.ts';

const attempt: Phase = { name: 'waiting', attempt: 1 };
const streaming: Phase = { name: 'streaming' };
const retrying: Phase = {
  name: 'retrying',
  attempt: 2,
  attempts: 5,
  code: 'UPSTREAM_OVERLOADED',
  reason: 'The model is busy.',
  waitSeconds: 1,
  resumesAt: 1000,
  retryNow: null,
};

/** The waiting time so many seconds after the question, where something last happened to the turn at `heardSeconds`. */
function told(seconds: number, phase: Phase = attempt, heardSeconds = 0) {
  return waitingTime({ phase, waiting: { since: 0, lastActivityAt: heardSeconds * 1000 } }, seconds * 1000);
}

describe('the waiting time of a turn', () => {
  it('is not told in the first three seconds, and then by the second', () => {
    expect([2.9, 3, 4.5].map((seconds) => told(seconds).seconds)).to.deep.equal([null, 3, 4]);
    expect(waitingTime({ phase: { name: 'idle' }, waiting: null }, 5000)).to.deep.equal({ seconds: null, delay: null });
  });

  it('is longer than usual after fifteen seconds without a reply, or without more of it', () => {
    expect([told(14.9), told(15)].map(({ delay }) => delay)).to.deep.equal([null, 'reply']);
    expect([told(24.9, streaming, 10), told(25, streaming, 10)].map(({ delay }) => delay)).to.deep.equal([
      null,
      'more',
    ]);
    // That wait says itself when it is over.
    expect(told(60, retrying).delay).to.equal(null);
  });
});
