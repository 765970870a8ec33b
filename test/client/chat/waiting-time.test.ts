import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Phase } from '../../../client/chat/conversation-state.ts';
import { waitingTime } from '../../../client/chat/waiting-time.ts';
import { fails } from '../../../client-package/testing/fake-backend.ts';
import { until } from '../../../client-package/testing/until.ts';
import { harnessOfEachTest, shows } from './conversation-harness.ts';

const attempt: Phase = { name: 'waiting', attempt: 1 };
const streaming: Phase = { name: 'streaming' };

/** The waiting time so many seconds after the question, where something last happened to the turn at `heardSeconds`. */
function told(seconds: number, phase: Phase = attempt, heardSeconds = 0) {
  return waitingTime({ phase, waiting: { since: 0, heardAt: heardSeconds * 1000 } }, seconds * 1000);
}

describe('the waiting time of a turn', () => {
  const harness = harnessOfEachTest();

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
  });

  it('is not longer than usual while the wait for another attempt says when it is over', async () => {
    const { backend, conversation, clock } = harness;
    backend.answer(fails('UPSTREAM_OVERLOADED'));
    void conversation.send('Where do we stand?');
    await until(conversation, ({ phase }) => phase.name === 'retrying');
    expect(waitingTime(conversation.getState(), clock.now() + 60_000).delay).to.equal(null);
    conversation.stop();
  });

  it('counts from the question, and silence from what happened last, and ends with the turn', async () => {
    const { backend, conversation, clock } = harness;
    const opened = backend.open();
    const since = clock.now();
    const sent = conversation.send('Where do we stand?');
    expect(conversation.getState().waiting).to.deep.equal({ since, heardAt: since });
    const response = await opened;
    await clock.advance(10_000);
    response.write('Week ');
    await until(conversation, shows('Week '));
    expect(conversation.getState().waiting).to.deep.equal({ since, heardAt: since + 10_000 });
    response.end('three.');
    await sent;
    expect(conversation.getState().waiting).to.equal(null);
  });
});
