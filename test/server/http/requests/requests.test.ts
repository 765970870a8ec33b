import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { parseResponse, rawExchange } from '../../../support/raw-http.ts';
import { createTestApp, question, type TestApp } from '../../../support/test-app.ts';

const ulid = /^[0-9A-HJKMNP-TV-Z]{26}$/;

describe('every response', () => {
  let app: TestApp;

  before(async () => {
    app = await createTestApp({ maxBodyBytes: 1000, limits: { demo: 1000 } });
  });
  after(() => app.close());

  for (const [method, path, status] of [
    ['GET', '/nowhere', 404],
    ['GET', '/%zz', 404],
    ['GET', '/v1/api/chat', 404],
    ['GET', '/healthz', 200],
    ['GET', '/readyz', 200],
    ['GET', '/auth/session', 200],
    ['GET', '/auth/google', 302],
    ['GET', '/auth/google/callback', 302],
    ['GET', '/auth/elsewhere', 404],
    ['POST', '/auth/sign-out', 204],
    ['POST', '/onboarding', 401],
    ['GET', '/api/chat', 405],
    ['HEAD', '/api/chat', 405],
    ['OPTIONS', '/api/chat/demo', 405],
    ['GET', '/api/conversations', 404],
    ['POST', '/api/onboarding', 404],
    ['GET', '/api/engagement/', 404],
    ['GET', '/API/Conversations', 404],
    ['DELETE', '/api/%63onversations', 404],
    ['POST', '/api/chat/', 404],
    ['TRACE', '/', 404],
  ] as const) {
    it(`has one request id: ${method} ${path} is ${status}`, async () => {
      const raw = await rawExchange(
        app.url,
        `${method} ${path} HTTP/1.1\r\nHost: ${new URL(app.url).host}\r\nConnection: close\r\n\r\n`,
      );
      const { status: actual, headers } = parseResponse(raw);
      expect(actual).to.equal(status);
      const ids = headers.filter(([name]) => name === 'x-request-id').map(([, value]) => value);
      expect(ids).to.have.length(1);
      expect(ids[0]).to.match(ulid);
      expect(headers.map(([name]) => name).filter((name) => name.startsWith('x-ratelimit'))).to.deep.equal([]);
    });
  }

  it('echoes the id that was sent, as sent', async () => {
    const response = await fetch(`${app.url}/nowhere`, { headers: { 'X-Request-Id': 'Mine: "é" 7' } });
    expect(response.headers.get('x-request-id')).to.equal('Mine: "é" 7');
  });

  it('issues a new id where the one sent is empty', async () => {
    const response = await fetch(`${app.url}/nowhere`, { headers: { 'X-Request-Id': '' } });
    expect(response.headers.get('x-request-id')).to.match(ulid);
  });

  for (const [what, request, status] of [
    ['bytes that are not HTTP', 'garbage\r\n\r\n', 400],
    ['oversize headers', `GET / HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(70_000)}\r\n\r\n`, 431],
    ['a missing Host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['an unknown Expect', 'GET / HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\nConnection: close\r\n\r\n', 417],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx', 400],
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
  ] as const) {
    it(`has one to ${what} too, which is ${status}`, async () => {
      const { status: actual, headers } = parseResponse(await rawExchange(app.url, request));
      expect(actual).to.equal(status);
      expect(headers.filter(([name]) => name === 'x-request-id')).to.have.length(1);
    });

    it(`lets no browser guess a type or frame the answer to ${what}`, async () => {
      const { headers } = parseResponse(await rawExchange(app.url, request));
      const header = (searched: string) => headers.find(([name]) => name === searched)?.[1];
      expect(header('x-content-type-options')).to.equal('nosniff');
      expect(header('content-security-policy')).to.include("frame-ancestors 'none'");
    });
  }

  it('answers pipelined requests in order, each with its own id', async () => {
    const get = (id: string, last: string) => `GET /healthz HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${id}\r\n${last}\r\n`;
    const raw = await rawExchange(app.url, get('one', ''), get('two', ''), get('three', 'Connection: close\r\n'));
    expect([...raw.matchAll(/X-Request-Id: (\w+)/g)].map(([, id]) => id)).to.deep.equal(['one', 'two', 'three']);
  });

  it('refuses a body over the limit with 413, also one that is only large once it is inflated', async () => {
    const large = JSON.stringify(question('x'.repeat(2000)));
    const plain = await app.demo(large);
    expect(plain.status).to.equal(413);
    expect(await plain.text()).to.equal('The request body is over 1000 bytes.\n');
    const bomb = await fetch(`${app.url}/api/chat/demo`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' },
      body: gzipSync(large),
    });
    expect(bomb.status).to.equal(413);
  });

  it('answers 405 with the method that is allowed', async () => {
    const response = await fetch(`${app.url}/api/chat`);
    expect(response.headers.get('allow')).to.equal('POST');
    expect(await response.text()).to.equal('This address takes POST only.\n');
  });
});

describe('HTTPS only', () => {
  let app: TestApp;

  before(async () => {
    app = await createTestApp({ production: true, trustProxy: true, publicUrl: 'https://chat.example.com' });
  });
  after(() => app.close());

  it('refuses what came as plain HTTP, without a redirect', async () => {
    for (const path of ['/', '/chat', '/api/chat', '/auth/session']) {
      const response = await fetch(app.url + path, { redirect: 'manual' });
      expect(response.status).to.equal(403);
      expect(response.headers.get('location')).to.equal(null);
    }
  });

  it('has the headers for browsers on the refusal, but says nothing of HTTPS where nobody can trust it', async () => {
    for (const path of ['/', '/healthz']) {
      const { headers } = await fetch(app.url + path);
      expect(headers.get('x-content-type-options')).to.equal('nosniff');
      expect(headers.get('content-security-policy')).to.include('frame-ancestors');
      expect(headers.get('strict-transport-security')).to.equal(null);
    }
  });

  it('serves what the proxy received over HTTPS, and says that it stays so', async () => {
    const response = await fetch(`${app.url}/auth/session`, { headers: { 'X-Forwarded-Proto': 'https' } });
    expect(response.status).to.equal(200);
    expect(response.headers.get('strict-transport-security')).to.match(/^max-age=31536000/);
  });

  it('still answers health checks', async () => {
    expect((await fetch(`${app.url}/healthz`)).status).to.equal(200);
    expect((await fetch(`${app.url}/readyz`)).status).to.equal(200);
  });
});
