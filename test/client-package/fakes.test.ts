import { randomBytes } from 'node:crypto';
import { deflateSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  cutsReply,
  fails,
  failsMidway,
  hangsUp,
  replies,
  startFakeBackend,
  staysSilent,
} from '../../client-package/testing/fake-backend.ts';
import { createFakeClock } from '../../client-package/testing/fake-clock.ts';
import { createFakeStorage } from '../../client-package/testing/fake-storage.ts';
import { errorCodes, jsonSentences, parseErrorCode } from '../../shared/errors.ts';
import { routes } from '../../shared/interface.ts';
import { perTest } from '../support/per-suite.ts';
import { createTestApp } from '../support/test-app.ts';

describe('The fake clock', () => {
  it('runs due timers in order, each at its own time, but no timer that is cancelled or due later', async () => {
    const clock = createFakeClock();
    const start = clock.now();
    const calls: [string, number][] = [];
    const record = (milliseconds: number, name: string) =>
      clock.after(milliseconds, () => calls.push([name, clock.now() - start]));
    record(3000, 'three');
    record(1000, 'one');
    record(1000, 'one too');
    record(3001, 'later');
    const cancel = record(2000, 'cancelled');
    cancel();
    await clock.advance(3000);
    expect(calls.splice(0)).to.deep.equal([
      ['one', 1000],
      ['one too', 1000],
      ['three', 3000],
    ]);
    await clock.advance(1);
    expect(calls).to.deep.equal([['later', 3001]]);
  });

  it('awaits the promise of a timer, so that the timer can set the next one', async () => {
    const clock = createFakeClock();
    const times: number[] = [];
    const start = clock.now();
    async function tick(): Promise<void> {
      await Promise.resolve();
      times.push(clock.now() - start);
      clock.after(1000, tick);
    }
    clock.after(1000, tick);
    await clock.advance(3500);
    expect(times).to.deep.equal([1000, 2000, 3000]);
  });
});

describe('The fake backend', () => {
  const backend = perTest(() => startFakeBackend());
  const json = { 'Content-Type': 'application/json' };
  const messages = [{ role: 'user', content: 'Where do we stand?' }];
  const question = JSON.stringify({ messages });
  const post = (url: string, { headers, ...init }: RequestInit = {}) =>
    fetch(url, { method: 'POST', body: question, headers: { ...json, ...headers }, ...init });

  it('responds with 418 if no answer is queued, and records the request', async () => {
    const response = await post(`${backend.demoUrl}?page=1`, {
      headers: {
        'X-Request-Id': 'turn-1',
        Cookie: 'advisory-chat=value',
        'Content-Type': 'application/JSON; charset=utf-8',
      },
    });
    expect([response.status, response.headers.get('X-Request-Id')]).to.deep.equal([418, 'turn-1']);
    expect(backend.requests).to.deep.equal([
      {
        method: 'POST',
        path: '/api/chat/demo?page=1',
        mediaType: 'application/json',
        cookie: 'advisory-chat=value',
        requestId: 'turn-1',
        body: { messages },
      },
    ]);
  });

  const invalidBodies: [title: string, body: unknown][] = [
    ['a number', 7],
    ['no messages', {}],
    ['an empty list of messages', { messages: [] }],
    ['a last message of the assistant', { messages: [...messages, { role: 'assistant', content: 'Week 3.' }] }],
    ['a system message', { messages: [{ role: 'system', content: 'Be brief.' }, ...messages] }],
    ['a blank text', { messages: [{ role: 'user', content: ' \n' }] }],
    ['a blank text block', { messages: [{ role: 'user', content: [{ type: 'text', text: '' }] }] }],
    ['a block that is not text', { messages: [{ role: 'user', content: [{ type: 'image' }] }] }],
    ['too many messages', { messages: Array(2001).fill(messages[0]) }],
    ['too many blocks', { messages: [{ role: 'user', content: Array(2001).fill({ type: 'text', text: 'Where?' }) }] }],
    ['more than 256 KiB', { messages: [{ role: 'assistant', content: 'x'.repeat(300_000) }] }],
    ['more than 1 MiB', { messages: [{ role: 'user', content: 'x'.repeat(1_048_577) }] }],
  ];
  /** The padding makes the body 17 times as long. */
  const incompressible = randomBytes(60_000).toString('base64');
  const gzipped = (text: string) => ({ headers: { 'Content-Encoding': 'gzip' }, body: new Uint8Array(gzipSync(text)) });
  const refused: [title: string, path: string, init: RequestInit, body: unknown][] = [
    ['a body that is not JSON', routes.liveChat, { body: 'Hello' }, 'Hello'],
    ['an empty body', routes.demoChat, { body: '' }, undefined],
    ['no body', routes.demoChat, { body: null }, undefined],
    ['a GET', routes.liveChat, { method: 'GET', body: null }, undefined],
    ['another path', '/api/chats', {}, { messages }],
    ['a path with a slash at its end', '/api/chat/', {}, { messages }],
    ...invalidBodies.flatMap(([title, body]): typeof refused => [
      [`${title} on live chat`, routes.liveChat, { body: JSON.stringify(body) }, body],
      [`${title} on demo chat`, routes.demoChat, { body: JSON.stringify(body) }, body],
    ]),
    ['another media type', routes.demoChat, { headers: { 'Content-Type': 'text/plain' } }, question],
    ['a media type that no standard names', routes.demoChat, { headers: { 'Content-Type': 'text/json' } }, question],
    ['a media type that contains another', routes.demoChat, { headers: { 'Content-Type': 'text/x;+json' } }, question],
    ['another charset', routes.demoChat, { headers: { 'Content-Type': 'application/json; charset=utf-16' } }, question],
    ['an unknown encoding', routes.demoChat, { headers: { 'Content-Encoding': 'compress' } }, question],
    ['a body that is not encoded as it says', routes.demoChat, { headers: { 'Content-Encoding': 'gzip' } }, question],
    ['more than 1 MiB after decompression', routes.liveChat, gzipped(incompressible.padEnd(1_048_577)), undefined],
    ['more than 20 times its size after decompression', routes.liveChat, gzipped(' '.repeat(200_000)), undefined],
  ];
  const answerOf = async (response: Response) => ({
    status: response.status,
    text: await response.text(),
    type: response.headers.get('Content-Type'),
    allow: response.headers.get('Allow'),
  });

  it('refuses malformed requests with the responses of the service, and keeps queued answers', async () => {
    await using app = await createTestApp({ limits: { live: 100, demo: 100 } });
    const { cookie } = await app.person();
    backend.answer(replies('Week 3.'));
    const origin = new URL(backend.url).origin;
    const received = new Set<string>();
    for (const [title, path, { headers, ...init }, body] of refused) {
      const sent = { ...init, headers: { Cookie: cookie, ...headers } };
      const [real, fake] = await Promise.all([post(app.url + path, sent), post(origin + path, sent)]);
      const answer = await answerOf(real);
      expect(await answerOf(fake), title).to.deep.equal(answer);
      received.add(answer.text);
      // A body over the limit is recorded as it was sent.
      if (!title.startsWith('more than')) expect(backend.requests.at(-1)?.body, title).to.deep.equal(body);
    }
    expect(await (await post(backend.url)).text()).to.equal('Week 3.');
    // The fake knows neither people nor limits, and the model's errors are among its prepared answers.
    const prepared = ['UNAUTHENTICATED', 'NOT_ONBOARDED', 'RATE_LIMITED', 'UPSTREAM_OVERLOADED', 'UPSTREAM_AUTH'];
    const codes = new Set([...received].map(parseErrorCode));
    expect(errorCodes.filter((code) => !codes.has(code))).to.have.members([
      ...prepared,
      'UPSTREAM_BAD_REQUEST',
      'INTERNAL',
    ]);
    for (const sentence of Object.values(jsonSentences)) expect(received).to.include(`INVALID_JSON: ${sentence}`);
  });

  it('decompresses gzip and deflate, whose names can be in upper case', async () => {
    const bodies = { gzip: gzipSync(question), DEFLATE: deflateSync(question) };
    for (const [name, body] of Object.entries(bodies)) {
      await post(backend.url, { headers: { 'Content-Encoding': name }, body: new Uint8Array(body) });
      expect(backend.requests.at(-1)?.body, name).to.deep.equal({ messages });
    }
  });

  it('accepts a byte order mark, any media type of JSON, and each way to name UTF-8', async () => {
    for (const [type, body] of [
      ['application/json', `\uFEFF${question}`],
      ['application/vnd.api+json', question],
      ['application/json; charset="UTF-8"', question],
      [' application/json ;charset=utf8;x=y', question],
    ] as const) {
      expect((await post(backend.url, { headers: { 'Content-Type': type }, body })).status, type).to.equal(418);
      expect(backend.requests.at(-1)?.body, type).to.deep.equal({ messages });
    }
  });

  it('throws on open() if an answer is queued', async () => {
    backend.answer(replies('Week 3.'));
    expect(() => backend.open()).to.throw('while an answer is queued');
  });

  it('responds with 500 and the error if an answer throws', async () => {
    backend.answer(() => {
      throw new Error('A bug in the test.');
    });
    const response = await post(backend.url);
    expect([response.status, await response.text()]).to.deep.equal([
      500,
      'The fake backend failed: Error: A bug in the test.',
    ]);
  });

  it('breaks the response if an answer throws after its start', async () => {
    backend.answer((response) => {
      response.write('Week');
      throw new Error('A bug in the test.');
    });
    const broken = await post(backend.url)
      .then((response) => response.text())
      .catch((reason: unknown) => reason);
    expect(broken).to.be.instanceOf(TypeError);
  });

  it('closes while a response is open', async () => {
    const backend = await startFakeBackend();
    const opened = backend.open();
    const response = post(backend.url).then((response) => response.text());
    await opened;
    const broken = response.catch((reason: unknown) => reason);
    await backend.close();
    expect(await broken).to.be.instanceOf(TypeError);
  });

  it('breaks the connection for hangsUp and cutsReply(), and never responds for staysSilent', async () => {
    backend.answer(hangsUp, cutsReply('Week 3'), staysSilent);
    expect(await post(backend.url).catch((reason: unknown) => reason)).to.be.instanceOf(TypeError);
    const { body } = await post(backend.url);
    const reader = body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).to.equal('Week 3');
    expect(await reader?.read().catch((reason: unknown) => reason)).to.be.instanceOf(TypeError);
    const silent = await post(backend.url, { signal: AbortSignal.timeout(50) }).catch((reason: unknown) => reason);
    expect(silent).to.include({ name: 'TimeoutError' });
  });

  it('sends the sentence of the service, with the wait, for fails()', async () => {
    backend.answer(fails('RATE_LIMITED', { retryAfterSeconds: 5 }));
    const text = await (await post(backend.url)).text();
    expect(text).to.equal('RATE_LIMITED: Too many requests. Try again in 5 seconds.');
  });

  it('sends the conversation id with each answer of the service, and for open() before the text', async () => {
    const id = 'c123456789012345678901234';
    const opened = backend.open(id);
    const early = await post(backend.url);
    expect([early.status, early.headers.get('X-Conversation-Id')]).to.deep.equal([200, id]);
    (await opened).end();
    await early.text();
    for (const answer of [
      replies('Week 3.', id),
      failsMidway('Week', id),
      fails('INTERNAL', { conversationId: id }),
      cutsReply('Week', id),
    ]) {
      backend.answer(answer);
      const response = await post(backend.url);
      expect(response.headers.get('X-Conversation-Id')).to.equal(id);
      await response.text().catch(() => {});
    }
  });

  it('throws on fails() with an unknown code, with RATE_LIMITED without a valid wait, and with another code and a wait', () => {
    // @ts-expect-error unknown code
    expect(() => fails('OVERLOADED')).to.throw(TypeError, 'Unknown code "OVERLOADED". The codes are INVALID_JSON, ');
    expect(() => fails('UPSTREAM_OVERLOADED', { retryAfterSeconds: 5 })).to.throw(TypeError, 'without Retry-After');
    expect(() => fails('RATE_LIMITED')).to.throw(TypeError, 'requires retryAfterSeconds');
    expect(() => fails('RATE_LIMITED', { retryAfterSeconds: 0.5 })).to.throw(TypeError, 'requires retryAfterSeconds');
  });
});

describe('The fake storage', () => {
  it('throws QuotaExceededError for a value that it has no room for, and keeps the previous value', () => {
    const storage = createFakeStorage(10);
    storage.setItem('one', '1234');
    storage.setItem('other', '123456');
    const refusal = { name: 'QuotaExceededError' };
    expect(() => storage.setItem('one', '12345'))
      .to.throw(DOMException)
      .and.include(refusal);
    expect(() => storage.setItem('new', '1'))
      .to.throw(DOMException)
      .and.include(refusal);
    expect(storage.getItem('one')).to.equal('1234');
    storage.setItem('one', '123');
    storage.setItem('new', '1');
    expect(Object.fromEntries(storage.items)).to.deep.equal({ one: '123', other: '123456', new: '1' });
  });
});
