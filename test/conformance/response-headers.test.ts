import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { decodeTime } from 'ulid';
import { providerNames } from '../../shared/session.ts';
import { createBrowser } from '../support/browser.ts';
import { perSuite } from '../support/per-suite.ts';
import { exchange, jsonContentType, type RawResponse, send, ulid, utf8AsLatin1 } from '../support/raw-http.ts';
import { defaultReply } from '../support/scripted-provider.ts';
import { createTestApp, exampleOnboarding, question, type TestApp } from '../support/test-app.ts';
import { createFakeBuild } from './support/built-client.ts';

/** A request and the expected status. `raw` replaces the well-formed request. The provider fails with `providerStatus`. */
type Row = {
  status: number;
  line: string;
  headers?: readonly string[];
  body?: string;
  raw?: string;
  providerStatus?: number;
  at?: TestApp;
};

const maxBodyBytes = 1000;
const questionBody = JSON.stringify(question());
const large = JSON.stringify(question('x'.repeat(maxBodyBytes)));
const chats = ['/api/chat', '/api/chat/demo'];
const scripted = { type: 'scripted_error', message: 'Scripted failure.' };
const rateLimitHeaders = { 'retry-after': '7', 'x-ratelimit-limit': '50', 'anthropic-ratelimit-requests-limit': '50' };

describe('Response headers', () => {
  const client = perSuite(() => createFakeBuild());
  const app = perSuite(() =>
    createTestApp({ pages: client.pages, maxBodyBytes, limits: { live: 1000, demo: 1000, signInCallback: 1000 } }),
  );
  const shared = () => ({ shared: { storage: app.storage } });
  const limited = perSuite(() => createTestApp({ ...shared(), limits: { live: 1, demo: 1 } }));
  const withShortTimeouts = perSuite(() =>
    createTestApp({ ...shared(), timeouts: { headers: 100, request: 200, checkInterval: 100 } }),
  );
  const draining = perSuite(() => createTestApp(shared()));
  const broken = perSuite(() => {
    const open = () => Promise.reject(new Error('The database is down.'));
    const { database } = app.storage;
    return createTestApp({ ...shared(), database: { ...database, turns: { ...database.turns, open } } });
  });

  /** The responses to the rows of statements 1 to 9: to a request without an id (`plain`), and to one with an id (`named`). */
  const answers: { statement: number; row: Row; plain: RawResponse; named: RawResponse | undefined }[] = [];

  let lines: readonly Record<string, unknown>[];

  before(async () => {
    const avery = await app.person();
    const newcomer = await app.person({ who: 'blake@example.com', onboarded: false });
    draining.draining.abort();
    for (const ask of [() => limited.live(avery, question()), () => limited.demo(question())])
      await (await ask()).text();
    const signedIn = [`Cookie: ${avery.cookie}`, jsonContentType];
    const etag = (await send(app.url, 'GET /')).valuesOf('etag')[0];
    const etagOfAsset = (await send(app.url, 'GET /assets/app.js')).valuesOf('etag')[0];
    const get = (status: number, path: string, headers: string[] = []) => ({ status, line: `GET ${path}`, headers });
    const post = (status: number, path: string, headers: string[] = [jsonContentType], body = questionBody) => ({
      status,
      line: `POST ${path}`,
      headers,
      body,
    });
    const head = 'POST /api/chat/demo HTTP/1.1\r\nHost: localhost\r\n';

    const rows: Record<number, Row[]> = {
      1: [
        ...['/healthz', '/readyz', '/auth/session'].map((path) => get(200, path)),
        post(200, '/api/chat', signedIn),
        post(200, '/api/chat/demo'),
        post(204, '/auth/sign-out', [], ''),
        post(409, '/onboarding', signedIn, JSON.stringify(exampleOnboarding)),
        post(422, '/onboarding', signedIn, '{}'),
      ],
      2: [
        ...['/', '/chat', '/sign-in', '/onboarding'].flatMap((path) => [
          get(200, path),
          get(304, path, [`If-None-Match: ${etag}`]),
        ]),
        get(200, '/assets/app.js'),
        get(304, '/assets/app.js', [`If-None-Match: ${etagOfAsset}`]),
      ],
      3: [
        ...providerNames.flatMap((provider) =>
          ['', '/callback', '/callback?code=invented&state=invented', '/callback?error=access_denied'].map((rest) =>
            get(302, `/auth/${provider}${rest}`),
          ),
        ),
        get(404, '/auth/elsewhere'),
      ],
      4: ['/nowhere', '/%zz', '/assets/missing.js', '/assets/%zz', '//', 'http://elsewhere.example/x'].map((path) =>
        get(404, path),
      ),
      5: [
        { status: 200, line: 'HEAD /' },
        { status: 200, line: 'HEAD /assets/app.js' },
        { status: 404, line: 'HEAD /nowhere' },
        { status: 200, line: 'OPTIONS /onboarding' },
        { status: 404, line: 'OPTIONS *' },
        ...['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'TRACE'].flatMap((method) =>
          chats.map((path) => ({ status: 405, line: `${method} ${path}` })),
        ),
      ],
      6: [
        post(401, '/api/chat'),
        post(401, '/onboarding'),
        post(403, '/auth/sign-out', ['Origin: https://elsewhere.example'], ''),
        post(403, '/api/chat', [`Cookie: ${newcomer.cookie}`, jsonContentType]),
        { ...post(429, '/api/chat', signedIn), at: limited },
        { ...post(429, '/api/chat/demo'), at: limited },
        ...[
          { providerStatus: 400, live: 400, demo: 502 },
          { providerStatus: 401, live: 500, demo: 502 },
          { providerStatus: 429, live: 502, demo: 502 },
          { providerStatus: 500, live: 502, demo: 502 },
          { providerStatus: 529, live: 503, demo: 503 },
        ].flatMap(({ providerStatus, live, demo }) => [
          { ...post(live, '/api/chat', signedIn), providerStatus },
          { ...post(demo, '/api/chat/demo'), providerStatus },
        ]),
        { ...post(500, '/api/chat', signedIn), at: broken },
        { ...post(503, '/api/chat', signedIn), at: draining },
        { ...get(503, '/readyz'), at: draining },
      ],
      7: [
        { path: '/api/chat', headers: signedIn },
        { path: '/api/chat/demo', headers: [jsonContentType] },
      ].flatMap(({ path, headers }) => [
        ...['', '{', 'null', '{"messages":[]}'].map((body) => post(400, path, headers, body)),
        post(413, path, headers, large),
        post(413, path, [...headers, 'Content-Encoding: gzip'], gzipSync(large).toString('latin1')),
        {
          status: 413,
          line: `POST ${path}, chunked`,
          raw: `POST ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${headers.join('\r\n')}\r\nTransfer-Encoding: chunked\r\n\r\n${large.length.toString(16)}\r\n${large}\r\n0\r\n\r\n`,
        },
      ]),
      8: [
        { status: 400, raw: 'garbage\r\n\r\n' },
        { status: 400, raw: 'GET / HTTP/9.9\r\n\r\n' },
        { status: 400, raw: `${head}Content-Length: 1\r\nContent-Length: 2\r\n\r\nx` },
        { status: 400, raw: `${head}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n` },
        { status: 431, raw: `GET / HTTP/1.1\r\nHost: localhost\r\nLarge: ${'x'.repeat(70_000)}\r\n\r\n` },
      ].map((row) => ({ ...row, line: row.raw.slice(0, 80) })),
      9: [
        { status: 400, line: 'GET / without Host', raw: 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n' },
        get(417, '/', ['Expect: miracles']),
        post(417, '/api/chat/demo', [jsonContentType, 'Expect: miracles']),
      ],
    };
    await app.requests.allFinished();
    app.lines.length = 0;
    for (const [statement, all] of Object.entries(rows)) {
      for (const row of all) {
        const { line, headers = [], body, raw, providerStatus, at = app } = row;
        at.provider.answerWith(
          providerStatus === undefined
            ? defaultReply.answer
            : { refuse: { ...scripted, status: providerStatus, headers: rateLimitHeaders } },
        );
        const plain = raw === undefined ? await send(at.url, line, headers, body) : await exchange(at.url, raw);
        const named =
          raw === undefined ? await send(at.url, line, ['X-Request-Id: as sent', ...headers], body) : undefined;
        answers.push({ statement: Number(statement), row, plain, named });
      }
    }
    app.provider.reset();
    // A request is logged after its response has been sent.
    await app.requests.allFinished();
    lines = app.lines.splice(0);
  });

  function expectRow({ status, line, headers = [] }: Row, answer: RawResponse): void {
    const what = [line, ...headers].join(', ');
    expect(answer.status, what).to.equal(status);
    expect(answer.valuesOf('x-request-id'), what).to.have.length(1);
    // Responses of every layer forbid MIME sniffing and framing.
    expect(answer.valuesOf('x-content-type-options'), what).to.deep.equal(['nosniff']);
    expect(answer.valuesOf('content-security-policy').join(), what).to.include("frame-ancestors 'none'");
  }

  for (const [statement, title] of [
    [1, 'X-Request-Id is on every response exactly once, whatever the status'],
    [2, 'X-Request-Id is on pages, assets and 304'],
    [4, 'X-Request-Id is on responses for an unknown path and for /%zz'],
    [5, 'X-Request-Id is on responses to HEAD and OPTIONS, and on 405'],
    [6, 'X-Request-Id is on 401, 403, 429 and 5xx'],
    [7, 'X-Request-Id is on the errors for a request body, 400 and 413'],
    [8, "X-Request-Id is on the HTTP parser's errors: 400 for garbage bytes, 431 for oversize headers"],
    [9, 'X-Request-Id is on 400 for a missing Host and on 417 for an unknown Expect'],
  ] as const) {
    it(`${statement} ${title}`, () => expectRows(statement));
  }

  function expectRows(statement: number): void {
    const matching = answers.filter((each) => each.statement === statement);
    expect(matching).not.to.be.empty;
    for (const { row, plain } of matching) {
      expectRow(row, plain);
      expect(plain.valuesOf('x-request-id')[0], row.line).to.match(ulid);
    }
  }

  it('3 X-Request-Id is on the redirects and failures of sign-in', async () => {
    expectRows(3);
    const browser = createBrowser(app.url);
    const unknownCode = (await browser.approve('google', 'avery@example.com')).replace(/\bcode=[^&]*/, 'code=invented');
    for (const [response, location] of [
      [await browser.request(unknownCode), '/sign-in?problem=unavailable'],
      [await browser.signInWith('google', 'avery@example.com'), '/chat'],
    ] as const) {
      expect(response.headers.get('location')).to.equal(location);
      expect(response.headers.get('x-request-id')).to.match(ulid);
    }
  });

  it('10 X-Request-Id is on 408 for a slow request', async () => {
    for (const [partialRequest, expected] of [
      ['GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow', ulid],
      [
        `POST /api/chat/demo HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: mine\r\n${jsonContentType}\r\nContent-Length: 9\r\n\r\n{`,
        /^mine$/,
      ],
    ] as const) {
      const socket = connect(Number(new URL(withShortTimeouts.url).port), '127.0.0.1');
      socket.write(partialRequest);
      const answer = await text(socket);
      expect(answer).to.match(/^HTTP\/1\.1 408 /);
      const ids = [...answer.matchAll(/^x-request-id: (.*)\r$/gim)].map(([, id]) => id);
      expect(ids).to.have.length(1);
      expect(ids[0]).to.match(expected);
    }
  });

  it("11 The client's X-Request-Id is returned verbatim", async () => {
    for (const id of ['7', 'null', 'a, b', 'Mine: "é" \t 木', '<script>', '%00', 'x'.repeat(8000)]) {
      const { valuesOf } = await send(app.url, 'GET /healthz', [`X-Request-Id: ${utf8AsLatin1(id)}`]);
      expect(valuesOf('x-request-id')).to.deep.equal([id]);
    }
    const twice = await send(app.url, 'GET /healthz', ['X-Request-Id: one', 'X-Request-Id: two']);
    expect(twice.valuesOf('x-request-id')).to.deep.equal(['one, two']);
    const withoutLength = `POST /api/chat/demo HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: ${utf8AsLatin1('mïne')}\r\n${jsonContentType}\r\nTransfer-Encoding: chunked\r\n\r\nno length\r\n`;
    expect((await exchange(app.url, withoutLength)).valuesOf('x-request-id'), 'from the parser').to.deep.equal([
      'mïne',
    ]);
    for (const { row, named } of answers) {
      if (named === undefined) continue;
      expectRow(row, named);
      expect(named.valuesOf('x-request-id'), row.line).to.deep.equal(['as sent']);
    }
  });

  it('12 Without an X-Request-Id, or with an empty one, the response has a new ULID of 26 characters', async () => {
    const ids = new Set<string>();
    for (const headers of [[], ['X-Request-Id:'], ['X-Request-Id: \t ']]) {
      const sentAt = Date.now();
      const [id = ''] = (await send(app.url, 'GET /healthz', headers)).valuesOf('x-request-id');
      expect(id).to.match(ulid);
      expect(decodeTime(id)).to.be.within(sentAt, Date.now());
      ids.add(id);
    }
    expect(ids.size).to.equal(3);
  });

  it("13 Every log line of a request has the request's id", () => {
    const plain = answers.filter(({ row: { at = app } }) => at === app).map((answer) => answer.plain);
    const sent = new Set(plain.flatMap(({ valuesOf }) => valuesOf('x-request-id')));
    const ownIds = new Map<unknown, unknown>();
    for (const { requestId, ownId, msg } of lines) {
      expect([...sent, 'as sent'], String(msg)).to.include(requestId);
      expect(ownId, String(msg)).to.match(ulid);
      if (requestId === 'as sent') continue;
      expect(ownIds.get(requestId) ?? ownId, String(msg)).to.equal(ownId);
      ownIds.set(requestId, ownId);
    }
    // Health checks are not logged.
    expect(ownIds.size).to.equal(sent.size - 2);
  });

  it('22 No response has an X-RateLimit header', () => {
    for (const { row, plain } of answers) expect(plain.raw.split('\r\n\r\n')[0], row.line).not.to.match(/rate-?limit/i);
  });

  it('23 Retry-After is on every 429 and nowhere else', () => {
    expect(answers.filter(({ row }) => row.status === 429)).not.to.be.empty;
    for (const { row, plain } of answers) {
      expect(plain.valuesOf('retry-after').length, row.line).to.equal(row.status === 429 ? 1 : 0);
      for (const value of plain.valuesOf('retry-after')) expect(value).to.match(/^[1-9]\d*$/);
    }
  });
});
