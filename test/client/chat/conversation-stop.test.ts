import { expect } from 'chai';
import { describe, it } from 'mocha';
import { canSend } from '../../../client/chat/conversation-state.ts';
import { answersWith, fails } from '../../../client-package/testing/fake-backend.ts';
import { isIdle, isRetrying, until } from '../../../client-package/testing/until.ts';
import { formatError } from '../../../shared/errors.ts';
import { harnessPerTest, lastTurn } from './conversation-harness.ts';

const busy = formatError('UPSTREAM_OVERLOADED');

describe('Stopping a conversation', () => {
  const { backend, clock, conversation } = harnessPerTest();

  it('sends nothing and keeps the draft if the request has not been sent yet', async () => {
    conversation.setDraft('Where do we stand?');
    const sent = conversation.send('Where do we stand?');
    conversation.stop();
    expect(await sent).to.deep.equal({ type: 'stopped' });
    expect(conversation.getState()).to.deep.include({ turns: [], phase: { name: 'idle' } });
    expect(conversation.getState().draft.text).to.equal('Where do we stand?');
    expect(backend.requests).to.have.length(0);
  });

  for (const [title, answer, seconds] of [
    ['after the wait of a 429', fails('RATE_LIMITED', { retryAfterSeconds: 30 }), 30],
    ['immediately after another error with status 429', answersWith(429, busy, { 'Retry-After': '30' }), 0],
  ] as const) {
    it(`allows the next question ${title}`, async () => {
      backend.answer(answer);
      const sent = conversation.send('Where do we stand?');
      const { phase } = await until(conversation, isRetrying);
      expect(phase.retryNow === null).to.equal(seconds > 0);
      conversation.stop();
      await sent;
      expect(canSend(conversation.getState())).to.equal(seconds === 0);
      await clock.advance(seconds * 1000);
      expect(canSend(conversation.getState())).to.equal(true);
    });
  }
});

describe('A conversation with a silent connection', () => {
  const { clock, open, stream } = harnessPerTest();

  it('is interrupted after silenceSeconds, and stores no cause', async () => {
    const conversation = open({ silenceSeconds: 10 });
    const { sent } = await stream('We are', conversation);
    await clock.advance(9_999);
    expect(isIdle(conversation.getState())).to.equal(false);
    await clock.advance(1);
    expect((await sent)?.type).to.equal('interrupted');
    expect(lastTurn(conversation).ending).to.deep.equal({ type: 'interrupted', requestId: 'turn-1' });
  });
});
