import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { attempt, displayableText } from '../../../client/chat/attempt.ts';
import type { Clock } from '../../../client/chat/clock.ts';
import { answersWith, fails, replies, startFakeBackend } from '../../../client-package/testing/fake-backend.ts';
import { createFakeClock } from '../../../client-package/testing/fake-clock.ts';
import {
  budgetSentences,
  capacitySentences,
  errorCodes,
  errors,
  formatAppendedError,
  formatError,
  jsonSentences,
} from '../../../shared/errors.ts';
import { perTest } from '../../support/per-suite.ts';

describe('attempt', () => {
  const backend = perTest(() => startFakeBackend());

  afterEach(() => void Reflect.deleteProperty(navigator, 'onLine'));

  const question = () => ({
    url: backend.url,
    requestId: 'turn-1',
    messages: [{ role: 'user' as const, content: 'Hello' }],
  });

  async function ask(signal = new AbortController().signal) {
    const texts: string[] = [];
    const conversationIds: string[] = [];
    const outcome = await attempt(question(), {
      fetch,
      signal,
      onConversation: (id) => conversationIds.push(id),
      onText: (text) => texts.push(text),
    });
    return { outcome, texts, conversationIds };
  }

  it('resolves with the code, message and request id of an error response', async () => {
    backend.answer(fails('RATE_LIMITED', { retryAfterSeconds: 42, conversationId: 'c123456789012345678901234' }));
    expect(await ask()).to.deep.equal({
      outcome: {
        type: 'failed',
        status: 429,
        code: 'RATE_LIMITED',
        sentence: 'Too many requests.',
        requestId: 'turn-1',
        retryAfterSeconds: 42,
        receivedText: false,
      },
      texts: [],
      conversationIds: ['c123456789012345678901234'],
    });
  });

  for (const [code, sentence] of [
    ...Object.values(capacitySentences).map((sentence) => ['UPSTREAM_OVERLOADED', sentence] as const),
    ...Object.values(budgetSentences).map((sentence) => ['RATE_LIMITED', sentence] as const),
    ...Object.values(jsonSentences).map((sentence) => ['INVALID_JSON', sentence] as const),
  ]) {
    it(`returns the sentence “${sentence}” without the waiting time that the service appends`, async () => {
      const wait = code === 'RATE_LIMITED' ? 40_000 : undefined;
      backend.answer(answersWith(errors[code].status, formatError(code, wait, sentence)));
      expect((await ask()).outcome).to.include({ code, sentence });
    });
  }

  const plain = { 'Content-Type': 'text/plain; charset=utf-8' };
  const own = { ...plain, 'X-Request-Id': 'turn-1' };
  const page = { ...own, 'Content-Type': 'text/html' };
  const refused = 'The service answered with status 403.';
  const noReply = 'The service answered with something other than a reply.';

  for (const [title, status, headers, body, sentence] of [
    ['a sentence of the service', 403, own, 'No cross-origin requests.\n', 'No cross-origin requests.'],
    ['an unknown code', 451, own, 'NOT_IN_THE_TABLE: Come back. Try again in 1 second.', 'Come back.'],
    ['a size limit of the service', 413, own, 'The body is too large.', 'The body is too large.'],
    ['a size limit of a proxy', 413, plain, 'Go away.', 'This message is too long to send.'],
    ['a text without a request id', 403, plain, 'Go away.', refused],
    ['another request id', 403, { ...plain, 'X-Request-Id': 'of-the-proxy' }, 'Go away.', refused],
    ['a page', 403, page, '<h1>Go away.</h1>', refused],
    ['a text of two lines', 403, own, 'Go\naway.', refused],
    ['an empty error', 403, own, '', refused],
    ['an error of a gateway', 502, plain, 'Go away.', errors.UPSTREAM_ERROR.sentence],
    ['a redirect', 303, own, 'Go away.', 'The service answered with a redirect.'],
    ['a page instead of a reply', 200, page, '<h1>Sign in to this network</h1>', noReply],
    ['a text with status 201', 201, plain, 'Week 3.', noReply],
    ['a text without a media type', 200, { 'Content-Type': '' }, 'Week 3.', noReply],
  ] as const) {
    it(`resolves as failed after ${title}: ${sentence}`, async () => {
      const texts: string[] = [];
      const fetch = async () => new Response(body, { status, headers });
      const request = { url: '/api/chat', requestId: 'turn-1', messages: [] };
      const outcome = await attempt(request, { fetch, onText: (text) => texts.push(text) });
      expect(outcome).to.include({ type: 'failed', status, sentence, receivedText: false });
      expect(texts).to.deep.equal([]);
    });
  }

  it('accepts a Retry-After of up to 25 hours', async () => {
    for (const [retryAfter, seconds] of [
      [' 7 ', 7],
      ['90000', 90_000],
      ['90000.1', undefined],
      ['Mon, 07 Nov 1994 09:49:37 GMT', 90_000],
      ['Mon, 07 Nov 1994 09:49:38 GMT', undefined],
      ['Sun, 99 Nov 1994 08:50:19 GMT', undefined],
    ] as const) {
      const headers = { 'Retry-After': retryAfter, Date: 'Sun, 06 Nov 1994 08:49:37 GMT' };
      const fetch = async () => new Response('', { status: 429, headers });
      const outcome = await attempt({ url: '/api/chat', messages: [] }, { fetch });
      expect(outcome, retryAfter).to.include({ code: 'RATE_LIMITED', retryAfterSeconds: seconds });
    }
  });

  it('passes only displayable text to onText, even if each character arrives in its own chunk', async () => {
    const reply = `One\n\n[UPSTREAM] ${formatAppendedError('INTERNAL')}\n\n\n[Two]\n\n`;
    const sent = `${reply}${formatAppendedError('UPSTREAM_ERROR')}`;
    const body = new ReadableStream({
      start(controller) {
        for (const character of sent) controller.enqueue(new TextEncoder().encode(character));
        controller.close();
      },
    });
    const texts: string[] = [];
    const fetch = async () => new Response(body, { headers: plain });
    const outcome = await attempt({ url: '/api/chat', messages: [] }, { fetch, onText: (text) => texts.push(text) });
    const shown = new Set(Array.from(sent, (_, index) => displayableText(sent.slice(0, index + 1))));
    expect(texts).to.deep.equal([...shown]);
    expect(texts.at(-1)).to.equal(reply);
    expect(outcome).to.include({ type: 'failed', code: 'UPSTREAM_ERROR', receivedText: true });
  });

  it('resolves as interrupted, with the cause, if the request fails, and as unsent if the browser is offline then', async () => {
    const cause = new TypeError('Failed to fetch');
    const options = { fetch: () => Promise.reject(cause) };
    expect(await attempt(question(), options)).to.include({ type: 'interrupted', cause });
    Object.defineProperty(navigator, 'onLine', { value: false, configurable: true });
    expect(await attempt(question(), options)).to.deep.equal({ type: 'unsent' });
  });

  it('resolves as interrupted, not as unsent, if the connection is lost during the reply, and reports no part of an error line as text', async () => {
    Object.defineProperty(navigator, 'onLine', { value: false, configurable: true });
    const opened = backend.open();
    const attempted = ask();
    const response = await opened;
    await new Promise<unknown>((written) => response.write('We are\n\n[UPSTREAM', written));
    response.destroy();
    const { outcome, texts } = await attempted;
    expect(outcome).to.deep.include({ type: 'interrupted', requestId: 'turn-1' });
    expect(texts.join('')).to.not.contain('[');
  });

  it('resolves with the request id of the response if the request or the reply fails', async () => {
    for (const failure of [fails('INTERNAL'), replies(`Week 3${formatAppendedError('UPSTREAM_ERROR')}`)]) {
      backend.answer((response) => {
        response.setHeader('X-Request-Id', 'of-the-service');
        return failure(response);
      });
      expect((await ask()).outcome).to.include({ type: 'failed', requestId: 'of-the-service' });
    }
  });

  it('closes the connection on abort even if the signals of AbortSignal.any never fire', async () => {
    const { any } = AbortSignal;
    AbortSignal.any = () => new AbortController().signal;
    try {
      const opened = backend.open();
      const user = new AbortController();
      const attempted = ask(user.signal);
      const response = await opened;
      const closed = new Promise<void>((resolve) => response.on('close', resolve));
      user.abort();
      await closed;
      expect((await attempted).outcome).to.deep.equal({ type: 'stopped' });
    } finally {
      AbortSignal.any = any;
    }
  });

  it('leaves no listener on its signal', async () => {
    backend.answer(replies('Week 3.'));
    const { signal } = new AbortController();
    await ask(signal);
    expect(getEventListeners(signal, 'abort')).to.have.length(0);
  });

  it('calls onText with the reply so far and the added text, which ends with U+FFFD if the reply ends within a character', async () => {
    const opened = backend.open();
    const calls: [string, string][] = [];
    const asked = attempt(question(), { onText: (reply, added) => calls.push([reply, added]) });
    const response = await opened;
    await new Promise<unknown>((written) => response.write('Week', written));
    response.end(new TextEncoder().encode(' 3 €').slice(0, -1));
    await asked;
    expect(calls.at(-1)?.[0]).to.equal('Week 3 \uFFFD');
    expect(calls.map(([, added]) => added).join('')).to.equal('Week 3 \uFFFD');
  });

  for (const callback of ['onText', 'onConversation']) {
    it(`rejects with the error that ${callback} throws, and closes the connection`, async () => {
      const opened = backend.open('c123456789012345678901234');
      const bug = new RangeError('A bug of the caller.');
      const asked = attempt(question(), {
        [callback]: () => {
          throw bug;
        },
      });
      const rejected = asked.catch((error: unknown) => error);
      const response = await opened;
      const closed = new Promise<void>((resolve) => response.on('close', resolve));
      response.write('Week 3.');
      expect(await rejected).to.equal(bug);
      await closed;
    });
  }

  describe('with a fetch that ignores its signal', () => {
    const ended = { type: 'interrupted', requestId: 'turn-1' };
    const headers = { ...plain, 'X-Conversation-Id': 'c1' };

    /** Starts an attempt, of which the test sends the response and its text. */
    function start(signal?: AbortSignal, clock = createFakeClock()) {
      const response = Promise.withResolvers<Response>();
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
      const body = writable.getWriter();
      const calls: string[] = [];
      const asked = attempt(
        { url: '/api/chat', requestId: 'turn-1', messages: [] },
        {
          fetch: () => response.promise,
          clock,
          signal,
          onConversation: (id) => calls.push(id),
          onText: (text) => calls.push(text),
        },
      );
      return {
        asked,
        calls,
        clock,
        respond: (status = 200) => response.resolve(new Response(readable, { status, headers })),
        write: (text: string) => body.write(new TextEncoder().encode(text)),
        close: () => body.close(),
        cancelled: body.closed.catch(() => 'cancelled'),
      };
    }

    it('resolves as interrupted after two minutes without a response, and calls no callback for a late response', async () => {
      const { asked, calls, clock, respond } = start();
      await clock.advance(119_999);
      expect(await Promise.race([asked, 'pending'])).to.equal('pending');
      await clock.advance(1);
      const outcome = await asked;
      expect(outcome).to.include(ended);
      expect(outcome).to.have.nested.property('cause.message').that.equals('No byte arrived for 120 seconds.');
      respond();
      await clock.advance(0);
      expect(calls).to.deep.equal([]);
    });

    it('resolves as interrupted two minutes after the last byte of the headers or the reply, and calls no callback for late text', async () => {
      const { asked, calls, clock, respond, write, cancelled } = start();
      await clock.advance(119_999);
      respond();
      for (const text of ['Week', ' 3']) {
        await clock.advance(119_999);
        await write(text);
      }
      await clock.advance(119_999);
      expect(await Promise.race([asked, 'pending'])).to.equal('pending');
      await clock.advance(1);
      expect(await asked).to.deep.include(ended);
      await write('.').catch(() => {});
      expect(await cancelled).to.equal('cancelled');
      expect(calls).to.deep.equal(['c1', 'Week', 'Week 3']);
    });

    it('reads the text that arrived while the page was frozen, even if the timers are overdue', async () => {
      const timers = new Set<() => void>();
      const after: Clock['after'] = (_, action) => {
        timers.add(action);
        return () => void timers.delete(action);
      };
      const { asked, calls, respond, write, close } = start(undefined, { ...createFakeClock(), after });
      respond();
      await write('Week');
      void write(' 3.');
      // The overdue timers fire before anything is read.
      for (const fire of [...timers]) fire();
      await close();
      expect(await asked).to.deep.equal({ type: 'done' });
      expect(calls).to.deep.equal(['c1', 'Week', 'Week 3.']);
    });

    it('resolves with the status of an error whose body falls silent', async () => {
      const { asked, clock, respond } = start();
      respond(503);
      await clock.advance(120_000);
      expect(await asked).to.include({ type: 'failed', code: 'UPSTREAM_OVERLOADED' });
    });

    it('resolves as stopped as soon as its signal is aborted, before the response and during a reply or an error', async () => {
      for (const status of [undefined, 200, 500]) {
        const user = new AbortController();
        const { asked, clock, respond } = start(user.signal);
        if (status !== undefined) respond(status);
        await clock.advance(0);
        user.abort();
        expect(await asked).to.deep.equal({ type: 'stopped' });
      }
    });

    it('sends nothing if its signal is already aborted', async () => {
      let requests = 0;
      const fetch = async () => {
        requests += 1;
        return new Response();
      };
      const outcome = await attempt({ url: '/api/chat', messages: [] }, { fetch, signal: AbortSignal.abort() });
      expect([outcome, requests]).to.deep.equal([{ type: 'stopped' }, 0]);
    });
  });
});

describe('displayableText', () => {
  it('holds back every prefix of an error line', () => {
    for (const line of errorCodes.map(formatAppendedError)) {
      for (let length = 0; length <= line.length; length += 1) {
        expect(displayableText(`We are in${line.slice(0, length)}`)).to.equal('We are in');
      }
    }
  });

  it('returns all other text immediately', () => {
    for (const reply of ['', 'Week 3.', 'One\n\n[1] Two', 'One\n\n[NOTE: two', 'One\n\n[UPSTREAM_ERROR: else']) {
      expect(displayableText(reply)).to.equal(reply);
    }
  });
});
