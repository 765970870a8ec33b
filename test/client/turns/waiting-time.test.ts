import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Phase } from '../../../client/chat/conversation-state.ts';
import { waitingTime } from '../../../client/turns/waiting-time.ts';

const attempt: Phase = { name: 'waiting', attempt: 1 };
const streaming: Phase = { name: 'streaming' };

function waitingTimeAfter(seconds: number, phase: Phase = attempt, activitySeconds = 0) {
  const since = Date.UTC(2026, 10, 22);
  const timing = { since, lastActivityAt: since + activitySeconds * 1000 };
  return waitingTime({ phase, timing }, since + seconds * 1000);
}

describe('waitingTime', () => {
  it('returns no time for the first three seconds, and whole seconds afterwards', () => {
    expect([2.9, 3, 4.5].map((seconds) => waitingTimeAfter(seconds).seconds)).to.deep.equal([null, 3, 4]);
    expect(waitingTime({ phase: { name: 'idle' }, timing: null }, 5000)).to.deep.equal({ seconds: null, delay: null });
  });

  it('reports a delay after fifteen seconds without a reply, or without further text', () => {
    expect([waitingTimeAfter(14.9), waitingTimeAfter(15)].map(({ delay }) => delay)).to.deep.equal([null, 'reply']);
    expect(
      [waitingTimeAfter(24.9, streaming, 10), waitingTimeAfter(25, streaming, 10)].map(({ delay }) => delay),
    ).to.deep.equal([null, 'more']);
    // A retry shows a countdown instead.
    expect(waitingTimeAfter(60, { name: 'retrying' } as Phase).delay).to.equal(null);
  });
});
