import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createConversation } from '../../../client/chat/conversation.ts';
import { canSend } from '../../../client/chat/conversation-state.ts';
import { createTranscript } from '../../../client/chat/transcript.ts';
import { answersWith, fails, replies } from '../../../client-package/testing/fake-backend.ts';
import { isIdle, isRetrying, until } from '../../../client-package/testing/until.ts';
import { harnessPerTest, lastTurn, shows, storageKey } from './conversation-harness.ts';

describe('Stopping a conversation', () => {
  const harness = harnessPerTest();

  it('sends nothing and keeps the draft if the request has not been sent yet', async () => {
    const { backend, conversation } = harness;
    conversation.setDraft('Where do we stand?');
    const sent = conversation.send('Where do we stand?');
    conversation.stop();
    await sent;
    expect(conversation.getState()).to.deep.include({ turns: [], phase: { name: 'idle' } });
    expect(conversation.getState().draft.text).to.equal('Where do we stand?');
    expect(backend.requests).to.have.length(0);
  });

  it('lets another tab send its question if the request has not been sent yet', async () => {
    const { backend, conversation, reopen } = harness;
    const sent = conversation.send('Where do we stand?');
    conversation.stop();
    expect(await sent).to.deep.equal({ type: 'stopped' });
    backend.answer(replies('Week 3.'));
    expect(await reopen().send('And then?')).to.deep.equal({ type: 'done' });
  });

  it('discards text that arrives later, even if the connection stays open', async () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    const write = (text: string) => writer.write(new TextEncoder().encode(text));
    const conversation = createConversation({
      url: harness.backend.url,
      transcript: createTranscript(harness.storage, storageKey),
      fetch: async () => new Response(readable, { headers: { 'Content-Type': 'text/plain; charset=utf-8' } }),
      clock: harness.clock,
      createRequestId: () => 'turn-1',
    });
    const sent = conversation.send('Where do we stand?');
    await write('We are');
    await until(conversation, shows('We are'));
    conversation.stop();
    await write(' in week 3.');
    await sent;
    expect(isIdle(conversation.getState())).to.equal(true);
    expect(lastTurn(conversation)).to.deep.include({ reply: 'We are', ending: { type: 'stopped' } });
  });

  it('blocks further questions until the wait after a 429 has elapsed', async () => {
    const { backend, clock, conversation } = harness;
    backend.answer(fails('RATE_LIMITED', { retryAfterSeconds: 30 }));
    const sent = conversation.send('Where do we stand?');
    const { phase } = await until(conversation, isRetrying);
    expect(phase.retryNow).to.equal(null);
    conversation.stop();
    await sent;
    expect(canSend(conversation.getState())).to.equal(false);
    await clock.advance(30_000);
    expect(canSend(conversation.getState())).to.equal(true);
  });

  it('allows the next question immediately after a status other than 429, even with Retry-After', async () => {
    const { backend, conversation } = harness;
    backend.answer(answersWith(503, 'Busy.', { 'Retry-After': '120' }));
    const sent = conversation.send('Where do we stand?');
    await until(conversation, isRetrying);
    conversation.stop();
    await sent;
    expect(canSend(conversation.getState())).to.equal(true);
  });
});

describe('A conversation with a silent connection', () => {
  const harness = harnessPerTest();

  it('is interrupted after silenceSeconds, and stores no cause', async () => {
    const { backend, clock } = harness;
    const opened = backend.open();
    const conversation = createConversation({
      url: backend.url,
      clock,
      silenceSeconds: 10,
      createRequestId: () => 'turn-1',
    });
    const sent = conversation.send('Where do we stand?');
    (await opened).write('We are');
    await until(conversation, shows('We are'));
    await clock.advance(9_999);
    expect(isIdle(conversation.getState())).to.equal(false);
    await clock.advance(1);
    expect((await sent)?.type).to.equal('interrupted');
    expect(lastTurn(conversation).ending).to.deep.equal({ type: 'interrupted', requestId: 'turn-1' });
  });
});
