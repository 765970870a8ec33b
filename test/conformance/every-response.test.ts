import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { before, beforeEach, describe, it } from 'mocha';
import { providerNames } from '../../shared/session.ts';
import { createBrowser } from '../support/browser.ts';
import { ofSuite } from '../support/of-suite.ts';
import { parseResponse } from '../support/raw-http.ts';
import { createTestApp, exampleOnboarding, question } from '../support/test-app.ts';
import { createBuiltClient } from './support/built-client.ts';
import { type Answer, asBytes, exchange, json, send, ulid } from './support/send.ts';

describe('Every response', () => {
  const maxBodyBytes = 1000;
  /** The headers of a JSON request by an onboarded user. */
  let signedIn: string[];

  const client = ofSuite(() => createBuiltClient());
  const app = ofSuite(() => createTestApp({ pages: client.pages, maxBodyBytes: maxBodyBytes, limits: { demo: 1 } }));
  before(async () => {
    signedIn = [`Cookie: ${(await app.person()).cookie}`, json];
  });
  beforeEach(() => app.provider.reset());

  function expectOneId(answer: Answer, status: number, what: string): void {
    expect(answer.status, what).to.equal(status);
    expect(answer.valuesOf('x-request-id'), what).to.have.length(1);
    expect(answer.valuesOf('x-request-id')[0], what).to.match(ulid);
    // No browser may guess a type or frame it, whoever has answered.
    expect(answer.valuesOf('x-content-type-options'), what).to.deep.equal(['nosniff']);
    expect(answer.valuesOf('content-security-policy').join(), what).to.include("frame-ancestors 'none'");
  }

  async function expectIdOn(status: number, requestLine: string, headers: string[] = [], body = '') {
    const answer = await send(app.url, requestLine, headers, body);
    expectOneId(answer, status, [requestLine, ...headers].join(', '));
    return answer;
  }

  let visitors = 0;
  /** The headers of a demo request from an address that has asked nothing before. */
  function visitor(): string[] {
    visitors += 1;
    return [json, `X-Forwarded-For: visitor ${visitors}`];
  }

  const asked = JSON.stringify(question());

  it('1 X-Request-Id is on every response exactly once, whatever the status', async () => {
    await expectIdOn(200, 'GET /healthz');
    await expectIdOn(200, 'GET /readyz');
    await expectIdOn(200, 'GET /auth/session');
    await expectIdOn(200, 'POST /api/chat', signedIn, asked);
    await expectIdOn(200, 'POST /api/chat/demo', visitor(), asked);
    await expectIdOn(204, 'POST /auth/sign-out');
    await expectIdOn(409, 'POST /onboarding', signedIn, JSON.stringify(exampleOnboarding));
    await expectIdOn(422, 'POST /onboarding', signedIn, '{}');
    const twice = await send(app.url, 'GET /healthz', ['X-Request-Id: one', 'X-Request-Id: two']);
    expect(twice.valuesOf('x-request-id')).to.deep.equal(['one, two']);
  });

  it('2 X-Request-Id is on pages, assets and 304', async () => {
    for (const path of ['/', '/chat', '/sign-in', '/onboarding', '/assets/app.js']) {
      const { valuesOf } = await expectIdOn(200, `GET ${path}`);
      await expectIdOn(304, `GET ${path}`, [`If-None-Match: ${valuesOf('etag')}`]);
    }
  });

  it('3 X-Request-Id is on the redirects of sign-in and on its failures', async () => {
    for (const provider of providerNames) {
      await expectIdOn(302, `GET /auth/${provider}`);
      await expectIdOn(302, `GET /auth/${provider}/callback`);
      await expectIdOn(302, `GET /auth/${provider}/callback?code=invented&state=invented`);
      await expectIdOn(302, `GET /auth/${provider}/callback?error=access_denied`);
      const browser = createBrowser(app.url);
      const who = provider === 'github' ? 'avery-example' : 'avery@example.com';
      const unknownCode = (await browser.approve(provider, who)).replace(/\bcode=[^&]*/, 'code=invented');
      const failed = await browser.request(unknownCode);
      expect(failed.headers.get('location')).to.equal('/sign-in?problem=unavailable');
      expect(failed.headers.get('x-request-id')).to.match(ulid);
      const succeeded = await browser.signInWith(provider, who);
      expect(succeeded.headers.get('location')).to.match(/^\/(chat|onboarding)$/);
      expect(succeeded.headers.get('x-request-id')).to.match(ulid);
    }
    await expectIdOn(404, 'GET /auth/elsewhere');
  });

  it('4 X-Request-Id is on the answers to an unknown path and to /%zz', async () => {
    for (const path of ['/nowhere', '/%zz', '/assets/missing.js', '/assets/%zz', '//', 'http://elsewhere.example/x']) {
      await expectIdOn(404, `GET ${path}`);
    }
  });

  it('5 X-Request-Id is on the answers to HEAD and OPTIONS, and on 405', async () => {
    await expectIdOn(200, 'HEAD /');
    await expectIdOn(200, 'HEAD /assets/app.js');
    await expectIdOn(404, 'HEAD /nowhere');
    await expectIdOn(200, 'OPTIONS /onboarding');
    await expectIdOn(404, 'OPTIONS *');
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'TRACE']) {
      for (const path of ['/api/chat', '/api/chat/demo']) await expectIdOn(405, `${method} ${path}`);
    }
  });

  it('6 X-Request-Id is on 401, 403, 429 and 5xx', async () => {
    await expectIdOn(401, 'POST /api/chat', [json], asked);
    await expectIdOn(401, 'POST /onboarding', [json], asked);
    await expectIdOn(403, 'POST /auth/sign-out', ['Origin: https://elsewhere.example']);
    const newcomer = await app.person({ who: 'blake@example.com', onboarded: false });
    await expectIdOn(403, 'POST /api/chat', [`Cookie: ${newcomer.cookie}`, json], asked);
    const once = visitor();
    await expectIdOn(200, 'POST /api/chat/demo', once, asked);
    await expectIdOn(429, 'POST /api/chat/demo', once, asked);
    for (const [status, onLive, onDemo] of [
      [400, 400, 502],
      [401, 500, 502],
      [500, 502, 502],
      [529, 503, 503],
    ] as const) {
      app.provider.answerWith({ refuse: { status, type: 'scripted_error', message: 'Scripted failure.' } });
      await expectIdOn(onLive, 'POST /api/chat', signedIn, asked);
      await expectIdOn(onDemo, 'POST /api/chat/demo', visitor(), asked);
    }
    const { database } = app.storage;
    const open = () => Promise.reject(new Error('The database is down.'));
    await using stranded = await createTestApp({
      shared: { storage: app.storage },
      database: { ...database, turns: { ...database.turns, open } },
    });
    expectOneId(await send(stranded.url, 'POST /api/chat', signedIn, asked), 500, 'an uncaught error');
    stranded.draining.abort();
    expectOneId(await send(stranded.url, 'GET /readyz'), 503, 'not ready');
    expectOneId(await send(stranded.url, 'POST /api/chat', signedIn, asked), 503, 'on the way out');
  });

  it('7 X-Request-Id is on the refusals of a body, 400 and 413', async () => {
    const large = JSON.stringify(question('x'.repeat(maxBodyBytes)));
    for (const [path, headersOf] of [
      ['/api/chat', () => signedIn],
      ['/api/chat/demo', visitor],
    ] as const) {
      for (const body of ['', '{', 'null', '{"messages":[]}']) await expectIdOn(400, `POST ${path}`, headersOf(), body);
      await expectIdOn(413, `POST ${path}`, headersOf(), large);
      const inflated = gzipSync(large).toString('latin1');
      await expectIdOn(413, `POST ${path}`, [...headersOf(), 'Content-Encoding: gzip'], inflated);
      const head = [`POST ${path} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...headersOf()].join('\r\n');
      const chunks = `${large.length.toString(16)}\r\n${large}\r\n0\r\n\r\n`;
      const chunked = await exchange(app.url, `${head}\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`);
      expectOneId(chunked, 413, `POST ${path} in chunks`);
    }
  });

  it('8 X-Request-Id is on the errors of the HTTP parser: 400 to garbage bytes, 431 to oversize headers', async () => {
    const post = 'POST /api/chat/demo HTTP/1.1\r\nHost: x\r\n';
    for (const [bytes, status] of [
      ['garbage\r\n\r\n', 400],
      ['GET / HTTP/9.9\r\n\r\n', 400],
      [`${post}Content-Length: 1\r\nContent-Length: 2\r\n\r\nx`, 400],
      [`${post}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
      [`GET / HTTP/1.1\r\nHost: x\r\nLarge: ${'x'.repeat(70_000)}\r\n\r\n`, 431],
    ] as const) {
      expectOneId(await exchange(app.url, bytes), status, bytes.slice(0, 80));
    }
    const sent = `X-Request-Id: ${asBytes('mïne')}`;
    const broken = await exchange(
      app.url,
      `${post}${sent}\r\n${json}\r\nTransfer-Encoding: chunked\r\n\r\nno length\r\n`,
    );
    expect(broken.status).to.equal(400);
    expect(broken.valuesOf('x-request-id')).to.deep.equal(['mïne']);
  });

  it('9 X-Request-Id is on 400 to a missing Host and on 417 to an unknown Expect', async () => {
    expectOneId(await exchange(app.url, 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n'), 400, 'no Host');
    await expectIdOn(417, 'GET /', ['Expect: miracles']);
    await expectIdOn(417, 'POST /api/chat/demo', [...visitor(), 'Expect: miracles'], asked);
  });

  it('10 X-Request-Id is on 408 to a request that is too slow', async () => {
    const shared = { storage: app.storage };
    await using hasty = await createTestApp({ shared, arrival: { headersTimeout: 100, requestTimeout: 200 } });
    const { port } = new URL(hasty.url);
    const idsOf = async (begun: string) => {
      const socket = connect(Number(port), '127.0.0.1');
      socket.write(begun);
      const { status, headers } = parseResponse(await text(socket));
      expect(status).to.equal(408);
      return headers.filter(([name]) => name === 'x-request-id').map(([, value]) => value);
    };
    const [issued, ...others] = await idsOf('GET / HTTP/1.1\r\nHost: x\r\nX-Slow');
    expect(issued).to.match(ulid);
    expect(others).to.deep.equal([]);
    const begun = `POST /api/chat/demo HTTP/1.1\r\nHost: x\r\nX-Request-Id: mine\r\n${json}\r\nContent-Length: 9\r\n\r\n{`;
    expect(await idsOf(begun)).to.deep.equal(['mine']);
  });
});
