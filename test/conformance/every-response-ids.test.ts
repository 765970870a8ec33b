import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import { decodeTime } from 'ulid';
import { eventually } from '../support/eventually.ts';
import { createTestApp, question, type TestApp } from '../support/test-app.ts';
import { createBuiltClient } from './support/built-client.ts';
import { ulid } from './support/request-id.ts';
import { asBytes, exchange, json, send } from './support/send.ts';

const asked = JSON.stringify(question());

describe('Every response', () => {
  let client: Awaited<ReturnType<typeof createBuiltClient>>;
  let app: TestApp;
  let avery: Awaited<ReturnType<TestApp['person']>>;

  before(async () => {
    client = await createBuiltClient();
    app = await createTestApp({ pages: client.pages });
    avery = await app.person();
    // The last request of a sign-in: lines follow their responses.
    await eventually(() => app.lines.find(({ path }) => path === '/auth/session'));
  });
  beforeEach(() => app.provider.reset());
  after(async () => {
    await app.close();
    await client.remove();
  });

  it('11 An X-Request-Id that was sent comes back verbatim', async () => {
    const odd = ['7', 'null', 'a, b', 'Mine: "é" \t 木', '<script>', '%00', 'x'.repeat(8000)];
    for (const id of odd) {
      const { valuesOf } = await send(app.url, 'GET /healthz', [`X-Request-Id: ${asBytes(id)}`]);
      expect(valuesOf('x-request-id')).to.deep.equal([id]);
    }
    const signedIn = [`Cookie: ${avery.cookie}`, json];
    for (const [status, requestLine, headers, body] of [
      [200, 'GET /', [], ''],
      [200, 'POST /api/chat', signedIn, asked],
      [200, 'POST /api/chat/demo', [json], asked],
      [204, 'POST /auth/sign-out', [], ''],
      [302, 'GET /auth/github', [], ''],
      [302, 'GET /auth/github/callback', [], ''],
      [400, 'POST /api/chat', signedIn, '{'],
      [401, 'POST /api/chat', [json], asked],
      [404, 'GET /%zz', [], ''],
      [405, 'GET /api/chat', [], ''],
      [417, 'GET /', ['Expect: miracles'], ''],
    ] as const) {
      const sent = ['X-Request-Id: as sent', ...headers];
      const { status: actual, valuesOf } = await send(app.url, requestLine, sent, body);
      expect(actual, requestLine).to.equal(status);
      expect(valuesOf('x-request-id'), requestLine).to.deep.equal(['as sent']);
    }
  });

  it('12 Without an X-Request-Id, or with an empty one, the response has a fresh ULID of 26 characters', async () => {
    const ids = new Set<string>();
    const headers = [[], ['X-Request-Id:'], ['X-Request-Id: \t ']];
    for (const sent of headers) {
      const begunAt = Date.now();
      const [id = ''] = (await send(app.url, 'GET /healthz', sent)).valuesOf('x-request-id');
      expect(id).to.match(ulid);
      expect(decodeTime(id)).to.be.within(begunAt, Date.now());
      ids.add(id);
    }
    expect(ids.size).to.equal(headers.length);
  });

  it('13 Every line that is logged of a request carries its id', async () => {
    /** Runs one request under an id of its own and gives what was logged meanwhile. */
    async function linesOf(id: string, run: (headers: Record<string, string>) => Promise<unknown>, count = 1) {
      app.lines.length = 0;
      await run({ 'X-Request-Id': id });
      await eventually(() => (app.lines.length >= count ? true : undefined));
      expect(app.lines.map(({ requestId }) => requestId)).to.deep.equal(Array(count).fill(id));
      const [own, ...others] = new Set(app.lines.map(({ ownId }) => ownId));
      expect(own).to.match(ulid);
      expect(others).to.deep.equal([]);
    }

    await linesOf('a page', (headers) => fetch(app.url, { headers }));
    await linesOf('a reply', async (headers) => (await app.live(avery, question(), headers)).text());
    await linesOf('a demo', async (headers) => (await app.demo(question(), headers)).text());
    await linesOf('a refusal', (headers) => app.live({ cookie: '' }, question(), headers));
    await linesOf(
      'a failed sign-in',
      (headers) => fetch(`${app.url}/auth/google/callback`, { headers, redirect: 'manual' }),
      2,
    );
    app.provider.answerWith({ refuse: { status: 500, type: 'api_error', message: 'Scripted failure.' } });
    await linesOf('a failure', (headers) => app.live(avery, question(), headers));

    app.lines.length = 0;
    const { valuesOf } = await exchange(app.url, 'garbage\r\n\r\n');
    expect(app.lines.map(({ requestId }) => requestId)).to.deep.equal(valuesOf('x-request-id'));
  });
});
