import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { attempt } from '../../../client/chat/attempt.ts';
import { createConversation } from '../../../client/chat/conversation.ts';
import { type SendOptions, sendTurn } from '../../../client/chat/send-turn.ts';
import { answersWith, fails, replies, startFakeBackend } from '../../../client-package/testing/fake-backend.ts';
import { createFakeClock } from '../../../client-package/testing/fake-clock.ts';
import { perTest } from '../../support/per-suite.ts';

const messages = [{ role: 'user' as const, content: 'Where do we stand?' }];
const conversationId = 'c123456789012345678901234';
const randomUuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

describe('The client with only a URL', () => {
  const backend = perTest(() => startFakeBackend());

  it('sends a single request with a random request id for each call of attempt()', async () => {
    backend.answer(replies('Week 3.'), fails('UPSTREAM_OVERLOADED'));
    expect(await attempt({ url: backend.url, messages })).to.deep.equal({ type: 'done' });
    expect(await attempt({ url: backend.url, messages })).to.include({ type: 'failed', code: 'UPSTREAM_OVERLOADED' });
    const [first, second] = backend.requests.map(({ requestId }) => requestId);
    expect(first).to.match(randomUuid).and.not.equal(second);
    expect(second).to.match(randomUuid);
  });

  for (const url of ['localhost:3000/api/chat', '127.0.0.1:3000/api/chat', 'ftp://a.example/api/chat', 'http://']) {
    it(`rejects “${url}”, which is not an HTTP URL, when a turn is sent and when a conversation is created`, async () => {
      const message = `The address "${url}" is not a URL with http or https.`;
      for (const send of [attempt, sendTurn]) {
        const error = await send({ url, messages }).catch((error: unknown) => error);
        expect(error).to.be.instanceOf(TypeError).with.property('message', message);
      }
      expect(() => createConversation({ url })).to.throw(TypeError, message);
    });
  }

  const path = '/api/chat';
  const noUrl = 'The address "/api/chat" is not a URL with http or https.';

  it('rejects a path outside a page, and accepts it with a fetch that completes it', async () => {
    for (const send of [attempt, sendTurn]) {
      const error = await send({ url: path, messages }).catch((error: unknown) => error);
      expect(error).to.be.instanceOf(TypeError).with.property('message', noUrl);
      backend.answer(replies('Week 3.'));
      const outcome = await send({ url: path, messages }, { fetch: (_, init) => fetch(backend.url, init) });
      expect(outcome).to.deep.equal({ type: 'done' });
    }
  });

  it('creates a conversation with a path outside a page, and leaves the state unchanged when it cannot send', async () => {
    const conversation = createConversation({ url: path });
    conversation.setDraft('Where do we stand?');
    const before = conversation.getState();
    const error = await conversation.send().catch((error: unknown) => error);
    expect(error).to.be.instanceOf(TypeError).with.property('message', noUrl);
    expect(conversation.getState()).to.equal(before);
  });

  it('sends a retry in sendTurn() with the same request id and the conversation id that the service returned', async () => {
    const limited = answersWith(429, '', { 'Retry-After': '3', 'X-Conversation-Id': conversationId });
    backend.answer(limited, replies('Week 3.', conversationId));
    const clock = createFakeClock();
    const onPhase = ({ name }: { name: string }) => name === 'retrying' && void clock.advance(3000);
    expect(await sendTurn({ url: backend.url, messages }, { clock, onPhase })).to.deep.equal({ type: 'done' });
    const [first, second] = backend.requests;
    expect(first?.requestId).to.match(randomUuid);
    expect(second).to.deep.include({ requestId: first?.requestId, body: { messages, conversationId } });
  });

  it('sends the headers of a conversation, except those that the client itself sets', async () => {
    const headers = { Cookie: 'advisory-chat=value', 'content-type': 'text/html' };
    backend.answer(replies('Week 3.'));
    await createConversation({ url: backend.url, headers }).send('Where do we stand?');
    expect(backend.requests[0]).to.include({ cookie: 'advisory-chat=value', mediaType: 'application/json' });
  });

  it('counts the attempts of a turn whose errors differ', async () => {
    backend.answer(fails('UPSTREAM_OVERLOADED'), fails('UPSTREAM_ERROR'), replies('Week 3.'));
    const clock = createFakeClock();
    const counts: string[] = [];
    const onPhase: SendOptions['onPhase'] = (phase) => {
      if (phase.name !== 'retrying') return;
      counts.push(`${phase.attempt} of ${phase.attempts}`);
      void clock.advance(phase.waitSeconds * 1000);
    };
    await sendTurn({ url: backend.url, messages }, { clock, onPhase });
    expect(counts).to.deep.equal(['2 of 5', '3 of 3']);
  });

  it('keeps the turns of a conversation on loadStored()', async () => {
    const conversation = createConversation({ url: backend.url });
    backend.answer(replies('Week 3.'));
    await conversation.send('Where do we stand?');
    conversation.loadStored();
    expect(conversation.getState().turns).to.have.length(1);
  });
});

describe('sendTurn while the browser is offline', () => {
  const backend = perTest(() => startFakeBackend());
  let isOnline: boolean;

  beforeEach(() => {
    isOnline = false;
    Object.defineProperty(navigator, 'onLine', { get: () => isOnline, configurable: true });
    Object.assign(globalThis, { addEventListener: () => {}, removeEventListener: () => {} });
  });
  afterEach(() => {
    Reflect.deleteProperty(navigator, 'onLine');
    for (const name of ['addEventListener', 'removeEventListener']) Reflect.deleteProperty(globalThis, name);
  });

  it('resolves as stopped when its signal is aborted', async () => {
    const user = new AbortController();
    const offline = Promise.withResolvers<void>();
    const onPhase = ({ name }: { name: string }) => name === 'offline' && offline.resolve();
    const unreachable = () => Promise.reject(new TypeError('Failed to fetch'));
    const sent = sendTurn({ url: '/api/chat', messages }, { fetch: unreachable, onPhase, signal: user.signal });
    await offline.promise;
    user.abort();
    expect(await sent).to.deep.equal({ type: 'stopped' });
  });

  it('sends at once if the network has returned before the request failed', async () => {
    backend.answer(replies('Week 3.'));
    const fetchAfterFailure: typeof fetch = (...request) => {
      if (isOnline) return fetch(...request);
      isOnline = true;
      return Promise.reject(new TypeError('Failed to fetch'));
    };
    const outcome = await sendTurn({ url: backend.url, messages }, { fetch: fetchAfterFailure });
    expect(outcome).to.deep.equal({ type: 'done' });
  });
});
