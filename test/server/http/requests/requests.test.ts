import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { parseResponse, rawExchange } from '../../../support/raw-http.ts';
import { createTestApp, type TestApp } from '../../../support/test-app.ts';

describe('every response', () => {
  let app: TestApp;

  before(async () => {
    app = await createTestApp({ maxBodyBytes: 1000, limits: { demo: 1000 } });
  });
  after(() => app.close());

  for (const [what, request] of [
    ['bytes that are not HTTP', 'garbage\r\n\r\n'],
    ['oversize headers', `GET / HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(70_000)}\r\n\r\n`],
    ['a missing Host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['an unknown Expect', 'GET / HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\nConnection: close\r\n\r\n'],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx'],
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
  ] as const) {
    it(`lets no browser guess a type or frame the answer to ${what}`, async () => {
      const { headers } = parseResponse(await rawExchange(app.url, request));
      const header = (searched: string) => headers.find(([name]) => name === searched)?.[1];
      expect(header('x-content-type-options')).to.equal('nosniff');
      expect(header('content-security-policy')).to.include("frame-ancestors 'none'");
    });
  }
});

describe('HTTPS only', () => {
  let app: TestApp;

  before(async () => {
    app = await createTestApp({ production: true, trustProxy: true, publicUrl: 'https://chat.example.com' });
  });
  after(() => app.close());

  it('has the headers for browsers on the refusal, but says nothing of HTTPS where nobody can trust it', async () => {
    for (const path of ['/', '/healthz']) {
      const { headers } = await fetch(app.url + path);
      expect(headers.get('x-content-type-options')).to.equal('nosniff');
      expect(headers.get('content-security-policy')).to.include('frame-ancestors');
      expect(headers.get('strict-transport-security')).to.equal(null);
    }
  });

  it('still answers health checks', async () => {
    expect((await fetch(`${app.url}/healthz`)).status).to.equal(200);
    expect((await fetch(`${app.url}/readyz`)).status).to.equal(200);
  });
});
