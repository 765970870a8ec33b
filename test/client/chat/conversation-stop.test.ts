import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { createConversation } from '../../../client/chat/conversation.ts';
import { canSend } from '../../../client/chat/conversation-state.ts';
import { createTranscript } from '../../../client/chat/transcript.ts';
import { fails, replies, staysSilent } from '../../../client-package/testing/fake-backend.ts';
import { isIdle, isRetrying, until } from '../../../client-package/testing/until.ts';
import { type Harness, lastTurn, shows, startHarness, storageKey } from './conversation-harness.ts';

describe('A conversation that is stopped', () => {
  let harness: Harness;

  beforeEach(async () => {
    harness = await startHarness();
  });

  afterEach(() => harness.backend.close());

  it('before it is sent sends nothing and leaves everything as it was', async () => {
    const { backend, conversation } = harness;
    conversation.setDraft('Where do we stand?');
    const sent = conversation.send('Where do we stand?');
    conversation.stop();
    await sent;
    expect(conversation.getState()).to.deep.include({
      turns: [],
      draft: 'Where do we stand?',
      phase: { name: 'idle' },
    });
    expect(backend.requests).to.have.length(0);
  });

  it('before the service answers ends at once', async () => {
    const { backend, conversation } = harness;
    const arrived = new Promise((resolve) => backend.answer(resolve));
    const sent = conversation.send('Where do we stand?');
    await arrived;
    conversation.stop();
    expect(isIdle(conversation.getState())).to.equal(true);
    await sent;
    expect(lastTurn(conversation)).to.deep.include({ reply: '', ending: { type: 'stopped' } });
  });

  it('while the reply grows keeps what arrived and hangs up', async () => {
    const { backend, conversation } = harness;
    const opened = backend.open();
    const sent = conversation.send('Where do we stand?');
    const response = await opened;
    response.write('We are');
    await until(conversation, shows('We are'));
    const hungUp = new Promise<void>((resolve) => response.on('close', resolve));
    conversation.stop();
    await Promise.all([sent, hungUp]);
    expect(lastTurn(conversation)).to.deep.include({ reply: 'We are', ending: { type: 'stopped' } });
  });

  it('takes in nothing more, even where the connection goes on', async () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    const write = (text: string) => writer.write(new TextEncoder().encode(text));
    const conversation = createConversation({
      url: harness.backend.url,
      transcript: createTranscript(harness.storage, storageKey),
      fetch: async () => new Response(readable),
      clock: harness.clock,
      createRequestId: () => 'turn-1',
    });
    const sent = conversation.send('Where do we stand?');
    await write('We are');
    await until(conversation, shows('We are'));
    conversation.stop();
    await write(' in week 3.');
    await writer.close();
    await sent;
    expect(isIdle(conversation.getState())).to.equal(true);
    expect(lastTurn(conversation)).to.deep.include({ reply: 'We are', ending: { type: 'stopped' } });
  });

  it('during a wait sends nothing any more', async () => {
    const { backend, clock, conversation } = harness;
    backend.answer(fails('UPSTREAM_OVERLOADED'));
    const sent = conversation.send('Where do we stand?');
    await until(conversation, isRetrying);
    conversation.stop();
    await sent;
    await clock.advance(60_000);
    expect(backend.requests).to.have.length(1);
    expect(lastTurn(conversation).ending).to.deep.equal({ type: 'stopped' });
  });

  it('during the wait of a 429 still waits before it takes another question', async () => {
    const { backend, clock, conversation } = harness;
    backend.answer(fails('RATE_LIMITED', { retryAfterSeconds: 30 }));
    const sent = conversation.send('Where do we stand?');
    await until(conversation, isRetrying);
    conversation.stop();
    await sent;
    expect(canSend(conversation.getState())).to.equal(false);
    await clock.advance(30_000);
    expect(canSend(conversation.getState())).to.equal(true);
  });

  it('during the second attempt ends that one', async () => {
    const { backend, clock, conversation } = harness;
    backend.answer(fails('UPSTREAM_OVERLOADED'), staysSilent);
    const sent = conversation.send('Where do we stand?');
    await until(conversation, isRetrying);
    await clock.advance(1000);
    await until(conversation, ({ phase }) => phase.name === 'waiting');
    conversation.stop();
    await sent;
    expect(lastTurn(conversation).ending).to.deep.equal({ type: 'stopped' });
  });

  it('does not replay a question to which nothing had arrived', async () => {
    const { backend, conversation } = harness;
    const arrived = new Promise((resolve) => backend.answer(resolve, replies('Pricing.')));
    const sent = conversation.send('Where do we stand?');
    await arrived;
    conversation.stop();
    await sent;
    await conversation.send('What is next?');
    expect(backend.requests.at(-1)?.body).to.deep.equal({ messages: [{ role: 'user', content: 'What is next?' }] });
  });
});

describe('A conversation that waits to send again', () => {
  let harness: Harness;

  beforeEach(async () => {
    harness = await startHarness();
  });

  afterEach(() => harness.backend.close());

  it('sends at once when the person will not wait', async () => {
    const { backend, conversation } = harness;
    backend.answer(fails('UPSTREAM_OVERLOADED'), replies('Week 3.'));
    const sent = conversation.send('Where do we stand?');
    const { phase } = await until(conversation, isRetrying);
    if (phase.name === 'retrying') phase.retryNow?.();
    await sent;
    expect(lastTurn(conversation).reply).to.equal('Week 3.');
  });

  it('does not offer that where the service said how long to wait', async () => {
    const { backend, conversation } = harness;
    backend.answer(fails('RATE_LIMITED', { retryAfterSeconds: 5 }));
    const sent = conversation.send('Where do we stand?');
    const { phase } = await until(conversation, isRetrying);
    expect(phase).to.include({ retryNow: null });
    conversation.stop();
    await sent;
  });
});
