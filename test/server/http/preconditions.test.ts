import { expect } from 'chai';
import type { Request, Response } from 'express';
import { describe, it } from 'mocha';
import { requireHttps } from '../../../server/http/preconditions.ts';
import { routes } from '../../../shared/interface.ts';
import { perSuite } from '../../support/per-suite.ts';
import { exchange, ulid } from '../../support/raw-http.ts';
import { createTestApp } from '../../support/test-app.ts';

describe('requireSameOrigin', () => {
  const app = perSuite(() => createTestApp({ publicUrl: 'http://chat.example' }));

  const signOut = (headers: Record<string, string>) => fetch(app.url + routes.signOut, { method: 'POST', headers });

  for (const [name, headers, status] of [
    ['a client that is not a browser', () => ({}), 204],
    ['the public origin', () => ({ Origin: 'http://chat.example' }), 204],
    ['a request that the browser labels same-origin', () => ({ 'Sec-Fetch-Site': 'same-origin' }), 204],
    ['a navigation from the address bar', () => ({ 'Sec-Fetch-Site': 'none' }), 204],
    ["the request's own host", () => ({ Origin: app.url }), 204],
    ['another site', () => ({ Origin: 'http://elsewhere.example' }), 403],
    ['another port', () => ({ Origin: 'http://chat.example:8080' }), 403],
    ['another scheme', () => ({ Origin: 'https://chat.example' }), 403],
    ['a request that the browser labels cross-site', () => ({ 'Sec-Fetch-Site': 'cross-site' }), 403],
    ["another host under the site's domain", () => ({ 'Sec-Fetch-Site': 'same-site' }), 403],
    ['an opaque origin', () => ({ Origin: 'null' }), 403],
  ] as const) {
    it(`${status === 204 ? 'accepts' : 'rejects'} ${name}`, async () =>
      expect((await signOut(headers())).status).to.equal(status));
  }
});

describe('requireValidRequest', () => {
  const app = perSuite(() => createTestApp());

  it('rejects a request with two Host headers, and sends a request id with the refusal', async () => {
    const hosts = 'Host: localhost\r\nHost: elsewhere.example\r\n';
    const { status, valuesOf, body } = await exchange(
      app.url,
      `GET /auth/session HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`,
    );
    expect([status, body]).to.deep.equal([400, 'The request must have one Host header.\n']);
    expect(valuesOf('x-request-id')[0]).to.match(ulid);
  });
});

describe('requireKnownHost', () => {
  const app = perSuite(() => createTestApp({ publicUrl: 'https://chat.example.com:8443' }));
  const production = perSuite(() =>
    createTestApp({
      shared: { storage: app.storage },
      production: true,
      trustProxy: true,
      publicUrl: 'https://chat.example.com',
    }),
  );

  async function ask({ url }: { url: string }, host: string, path: string = routes.session) {
    const fields = [`Host: ${host}`, 'X-Forwarded-Proto: https', 'X-Request-Id: mine', 'Connection: close'];
    return exchange(url, `GET ${path} HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`);
  }

  const known = [
    'localhost',
    'localhost:3000',
    'LOCALHOST',
    'chat.localhost:3000',
    '127.0.0.1',
    '[::1]:3000',
    '10.1.2.3',
  ];
  for (const host of [...known, 'chat.example.com', 'chat.example.com:8443', 'CHAT.example.com']) {
    it(`accepts ${host} in development`, async () => expect((await ask(app, host)).status).to.equal(200));
  }

  for (const host of [
    'elsewhere.example',
    'localhost.elsewhere.example',
    'notlocalhost',
    'www.chat.example.com',
    '[::1',
    '',
  ]) {
    it(`rejects ${host || 'an empty host'} in development, with a request id`, async () => {
      const { status, valuesOf, body } = await ask(app, host);
      expect([status, body]).to.deep.equal([421, 'This host is not served here.\n']);
      expect(valuesOf('x-request-id')).to.deep.equal(['mine']);
    });
  }

  it('accepts other names for health checks, and in production, where the proxy checks the name', async () => {
    expect((await ask(app, 'instance.internal', '/healthz')).status).to.equal(200);
    expect((await ask(production, 'instance.internal')).status).to.equal(200);
  });
});

describe('requireHttps', () => {
  const development = { production: false, trustProxy: false };

  for (const [sender, options, remoteAddress, forwarded, isAccepted] of [
    ['this machine in development', development, '127.8.9.10', undefined, true],
    ['this machine over IPv6', development, '::1', undefined, true],
    ['this machine over IPv4-mapped IPv6', development, '::ffff:127.0.0.1', undefined, true],
    ['this machine in production', { ...development, production: true }, '127.0.0.1', 'https', false],
    ['another machine in development', development, '192.0.2.1', 'https', false],
    ['a trusted proxy after HTTPS', { ...development, trustProxy: true }, '192.0.2.1', ' HTTPS , http', true],
  ] as const) {
    it(`${isAccepted ? 'accepts' : 'rejects'} ${sender}`, () => {
      const request = { socket: { remoteAddress }, headers: { 'x-forwarded-proto': forwarded } } as unknown as Request;
      const send = () => requireHttps(options)(request, {} as Response, () => undefined);
      if (isAccepted) expect(send).not.to.throw();
      else expect(send).to.throw('HTTPS is required.');
    });
  }
});

describe("a request from another site's page", () => {
  const app = perSuite(() => createTestApp());

  const elsewhere = { Origin: 'https://elsewhere.example', 'Sec-Fetch-Site': 'cross-site' };

  for (const [method, path] of [
    ['POST', routes.liveChat],
    ['PUT', routes.demoChat],
    ['DELETE', '/a-route-of-a-later-release'],
    ['OPTIONS', routes.onboarding],
  ] as const) {
    it(`with ${method} to ${path} is rejected with 403 in plain text`, async () => {
      const response = await fetch(app.url + path, { method, headers: elsewhere });
      expect(response.status).to.equal(403);
      expect(response.headers.get('content-type')).to.equal('text/plain; charset=utf-8');
      expect(response.headers.get('x-request-id')).not.to.equal(null);
      expect(await response.text()).to.equal('Cross-origin requests are not allowed.\n');
    });
  }

  for (const method of ['GET', 'HEAD']) {
    it(`with ${method} is served, because it changes nothing`, async () =>
      expect((await fetch(app.url + routes.session, { method, headers: elsewhere })).status).to.equal(200));
  }
});
