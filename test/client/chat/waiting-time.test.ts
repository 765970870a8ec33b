import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import type { Conversation } from '../../../client/chat/conversation.ts';
import { createConversation } from '../../../client/chat/conversation.ts';
import type { ConversationState, Phase } from '../../../client/chat/conversation-state.ts';
import { createStore } from '../../../client/chat/store.ts';
import { createWaitingTime, type WaitingTime } from '../../../client/chat/waiting-time.ts';
import { createFakeClock, type FakeClock } from '../../../client-package/testing/fake-clock.ts';
import { turn } from './turns.ts';

const waiting: Phase = { name: 'waiting', attempt: 1 };
const retrying: Phase = {
  name: 'retrying',
  attempt: 2,
  attempts: 5,
  code: 'UPSTREAM_OVERLOADED',
  reason: 'The model is busy.',
  waitSeconds: 60,
  resumesAt: 0,
  retryNow: null,
};

describe('the waiting time of a turn', () => {
  let clock: FakeClock;
  let waitingTime: WaitingTime;
  let conversation: Pick<Conversation, 'getState' | 'subscribe'>;
  let go: (phase: Phase, reply?: string) => void;
  let stopWatching: () => void;

  beforeEach(() => {
    clock = createFakeClock();
    const { getState, subscribe, update } = createStore<ConversationState>(
      createConversation({ url: 'http://localhost/api/chat' }).getState(),
    );
    go = (phase, reply = '') => {
      update({ phase, turns: [turn('Why?', reply, { ending: null })] });
    };
    conversation = { getState, subscribe };
    waitingTime = createWaitingTime(conversation, clock);
    stopWatching = waitingTime.subscribe(() => {});
  });

  it('is not told in the first three seconds, and then by the second', async () => {
    go(waiting);
    await clock.advance(2999);
    expect(waitingTime.getState()).to.deep.equal({ seconds: null, delay: null });
    await clock.advance(1);
    expect(waitingTime.getState().seconds).to.equal(3);
    await clock.advance(1000);
    expect(waitingTime.getState().seconds).to.equal(4);
  });

  it('counts from the question, whatever happens to the turn, and ends with it', async () => {
    go({ name: 'sending' });
    await clock.advance(1000);
    go(waiting);
    await clock.advance(4000);
    go({ name: 'streaming' }, 'It');
    await clock.advance(5000);
    expect(waitingTime.getState().seconds).to.equal(10);
    go({ name: 'idle' }, 'It is.');
    expect(waitingTime.getState()).to.deep.equal({ seconds: null, delay: null });
    await clock.advance(60_000);
    go(waiting);
    expect(waitingTime.getState().seconds).to.equal(null);
  });

  it('is longer than usual after fifteen seconds without a reply, until there is one', async () => {
    go(waiting);
    await clock.advance(14_999);
    expect(waitingTime.getState().delay).to.equal(null);
    await clock.advance(1);
    expect(waitingTime.getState().delay).to.equal('reply');
    go({ name: 'streaming' }, 'It');
    expect(waitingTime.getState().delay).to.equal(null);
  });

  it('is longer than usual after fifteen seconds without more of the reply, until there is more', async () => {
    go(waiting);
    go({ name: 'streaming' }, 'It');
    await clock.advance(10_000);
    go({ name: 'streaming' }, 'It is');
    await clock.advance(14_999);
    expect(waitingTime.getState().delay).to.equal(null);
    await clock.advance(1001);
    expect(waitingTime.getState().delay).to.equal('more');
    go({ name: 'streaming' }, 'It is so');
    expect(waitingTime.getState().delay).to.equal(null);
  });

  it('is not longer than usual while the wait for another attempt says when it is over', async () => {
    go(waiting);
    go(retrying);
    await clock.advance(60_000);
    expect(waitingTime.getState().delay).to.equal(null);
    go({ name: 'waiting', attempt: 2 });
    await clock.advance(14_000);
    expect(waitingTime.getState().delay).to.equal(null);
  });

  it('goes on while nobody watches, and is right when somebody does again', async () => {
    go(waiting);
    stopWatching();
    await clock.advance(30_000);
    waitingTime.subscribe(() => {});
    expect(waitingTime.getState()).to.deep.equal({ seconds: 30, delay: 'reply' });
    await clock.advance(1000);
    expect(waitingTime.getState().seconds).to.equal(31);
  });
});
