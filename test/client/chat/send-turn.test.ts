import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { ask, readReply } from '../../../client/chat/ask.ts';
import { createConversation } from '../../../client/chat/conversation.ts';
import type { Outcome } from '../../../client/chat/outcome.ts';
import { type Offline, type Retrying, sendTurn, type Waiting } from '../../../client/chat/send-turn.ts';
import { fails, hangsUp, replies, startFakeBackend } from '../../../client-package/testing/fake-backend.ts';
import { createFakeClock } from '../../../client-package/testing/fake-clock.ts';
import { formatAppendedError } from '../../../shared/errors.ts';
import { ofEachTest } from '../../support/of-suite.ts';

const messages = [{ role: 'user' as const, content: 'Where do we stand?' }];
const conversationId = 'c123456789012345678901234';
const randomUuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

describe('Without anything but an address', () => {
  const backend = ofEachTest(() => startFakeBackend());

  it('ask sends one attempt with an id of its own', async () => {
    backend.answer(replies('Week 3.'), fails('UPSTREAM_OVERLOADED'));
    expect(await ask({ url: backend.url, messages })).to.deep.equal({ type: 'done' });
    expect(await ask({ url: backend.url, messages })).to.include({ type: 'failed', code: 'UPSTREAM_OVERLOADED' });
    const [first, second] = backend.requests.map(({ requestId }) => requestId);
    expect(first).to.match(randomUuid).and.not.equal(second);
    expect(second).to.match(randomUuid);
  });

  it('ask takes an address that is none for a connection that breaks', async () => {
    expect(await ask({ url: 'nowhere', messages, requestId: 'turn-1' })).to.deep.equal({
      type: 'interrupted',
      requestId: 'turn-1',
    });
  });

  it('sendTurn gives every attempt the same id, and the conversation that the service named', async () => {
    backend.answer(fails('RATE_LIMITED', { retryAfterSeconds: 0, conversationId }), replies('Week 3.', conversationId));
    expect(await sendTurn({ url: backend.url, messages })).to.deep.equal({ type: 'done' });
    const [first, second] = backend.requests;
    expect(first?.requestId).to.match(randomUuid);
    expect(second).to.deep.equal({ requestId: first?.requestId, body: { messages, conversationId } });
  });

  it('a conversation lasts as long as its object, and knows its id', async () => {
    const conversation = createConversation({ url: backend.url });
    backend.answer(replies('Week 3.', conversationId));
    await conversation.send('Where do we stand?');
    expect(conversation.getState()).to.deep.include({ conversationId });
    expect(conversation.getState().turns[0]?.requestId).to.match(randomUuid);
    conversation.takeIn();
    expect(conversation.getState().turns).to.have.length(1);
    conversation.clear();
    expect(conversation.getState()).to.deep.include({ conversationId: undefined, turns: [] });
  });

  it('sends headers that are given, though none in the place of its own', async () => {
    let cookie: string | null | undefined;
    let type: string | null | undefined;
    const headers = { Cookie: 'advisory-chat=value', 'content-type': 'text/html' };
    const noteHeaders: typeof fetch = (url, init) => {
      cookie = new Headers(init?.headers).get('Cookie');
      type = new Headers(init?.headers).get('Content-Type');
      return fetch(url, init);
    };
    const conversation = createConversation({ url: backend.url, headers, fetch: noteHeaders });
    backend.answer(replies('Week 3.'));
    await conversation.send('Where do we stand?');
    expect([cookie, type]).to.deep.equal(['advisory-chat=value', 'application/json']);
  });
});

describe('sendTurn', () => {
  it('tells of each attempt and each wait', async () => {
    await using backend = await startFakeBackend();
    const clock = createFakeClock();
    const phases: (Waiting | Retrying | Offline)[] = [];
    const outcomes: Outcome[] = [];
    backend.answer(fails('UPSTREAM_ERROR'), hangsUp);
    const waiting = Promise.withResolvers<void>();
    const sent = sendTurn(
      { url: backend.url, messages },
      {
        clock,
        onPhase(phase) {
          phases.push(phase);
          if (phase.name === 'retrying') waiting.resolve();
        },
        onOutcome: (outcome) => outcomes.push(outcome),
      },
    );
    await waiting.promise;
    await clock.advance(1000);
    expect((await sent).type).to.equal('interrupted');
    expect(phases.map((phase) => [phase.name, 'attempt' in phase && phase.attempt])).to.deep.equal([
      ['waiting', 1],
      ['retrying', 2],
      ['waiting', 2],
    ]);
    expect(outcomes.map(({ type }) => type)).to.deep.equal(['failed', 'interrupted']);
  });
});

describe('readReply', () => {
  const bodyOf = (text: string) => new Response(text).body;

  it('takes the error line off, and says what it said', async () => {
    const body = bodyOf(`Week 3.${formatAppendedError('UPSTREAM_ERROR')}`);
    expect(await readReply(body)).to.deep.equal({ text: 'Week 3.', code: 'UPSTREAM_ERROR' });
  });
});

describe('A turn while the browser is offline', () => {
  const events = new EventTarget();
  const sentAs: (string | null)[] = [];
  const phases: string[] = [];

  beforeEach(() => {
    sentAs.length = 0;
    phases.length = 0;
    setOnline(false);
    globalThis.addEventListener = events.addEventListener.bind(events);
    globalThis.removeEventListener = events.removeEventListener.bind(events);
  });

  afterEach(() => {
    for (const name of ['addEventListener', 'removeEventListener']) Reflect.deleteProperty(globalThis, name);
    Reflect.deleteProperty(navigator, 'onLine');
  });

  function setOnline(value: boolean): void {
    Object.defineProperty(navigator, 'onLine', { value, configurable: true });
    if (value) events.dispatchEvent(new Event('online'));
  }

  /** Sends a turn by a network that fails while the browser is offline, and for so many requests more. Resolves once it waits. */
  async function send(signal?: AbortSignal, failures = 0) {
    const { promise: waits, resolve: wait } = Promise.withResolvers<void>();
    let left = failures;
    const outcome = sendTurn(
      { url: '/api/chat', messages: [], requestId: 'turn-1' },
      {
        signal,
        fetch: async (_url, { headers } = {}) => {
          if (!navigator.onLine) throw new TypeError('Failed to fetch');
          sentAs.push(new Headers(headers).get('X-Request-Id'));
          if (left-- > 0) throw new TypeError('Failed to fetch');
          return new Response('Week 3.');
        },
        onPhase({ name }) {
          phases.push(name);
          if (name === 'offline') wait();
        },
      },
    );
    await waits;
    return { outcome };
  }

  it('waits for the network, and is sent once it is there, as the same request', async () => {
    const { outcome } = await send();
    expect(sentAs).to.deep.equal([]);
    setOnline(true);
    expect(await outcome).to.deep.equal({ type: 'done' });
    expect(sentAs).to.deep.equal(['turn-1']);
    expect(phases).to.deep.equal(['waiting', 'offline', 'waiting']);
  });

  it('is not sent again where it has left the device since', async () => {
    const { outcome } = await send(undefined, 1);
    setOnline(true);
    expect(await outcome).to.deep.equal({ type: 'interrupted', requestId: 'turn-1' });
    expect(sentAs).to.have.length(1);
  });

  it('can be taken back, and is not sent then', async () => {
    const controller = new AbortController();
    const { outcome } = await send(controller.signal);
    controller.abort();
    expect(await outcome).to.deep.equal({ type: 'stopped' });
    setOnline(true);
    expect(sentAs).to.deep.equal([]);
  });
});
