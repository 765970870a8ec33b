import { expect } from 'chai';
import type { Request, Response } from 'express';
import { describe, it } from 'mocha';
import { isKnownHost, requireHttps } from '../../../server/http/preconditions.ts';
import { routes } from '../../../shared/interface.ts';
import { perSuite } from '../../support/per-suite.ts';
import { exchange, rawExchange, ulid } from '../../support/raw-http.ts';
import { createTestApp } from '../../support/test-app.ts';

describe('requireSameOrigin', () => {
  const app = perSuite(() => createTestApp({ publicUrl: 'http://chat.example' }));

  const elsewhere = () => ({ Origin: 'http://elsewhere.example' });
  const crossSite = () => ({ 'Sec-Fetch-Site': 'cross-site' });

  for (const [name, headers, status, method = 'POST', path = routes.signOut] of [
    ['a client that is not a browser', () => ({}), 204],
    ['the public origin', () => ({ Origin: 'http://chat.example' }), 204],
    ['a request that the browser labels same-origin', () => ({ 'Sec-Fetch-Site': 'same-origin' }), 204],
    ['a navigation from the address bar', () => ({ 'Sec-Fetch-Site': 'none' }), 204],
    ["the request's own host", () => ({ Origin: app.url }), 204],
    ['a GET from another site, because it changes nothing', crossSite, 200, 'GET', routes.session],
    ['a HEAD from another site', elsewhere, 200, 'HEAD', routes.session],
    ['another site', elsewhere, 403],
    ['another port', () => ({ Origin: 'http://chat.example:8080' }), 403],
    ['another scheme', () => ({ Origin: 'https://chat.example' }), 403],
    ['a request that the browser labels cross-site', crossSite, 403],
    ["another host under the site's domain", () => ({ 'Sec-Fetch-Site': 'same-site' }), 403],
    ['an opaque origin', () => ({ Origin: 'null' }), 403],
    ['a turn of another site', elsewhere, 403, 'POST', routes.liveChat],
    ['a PUT from another site', elsewhere, 403, 'PUT', routes.demoChat],
    ['a DELETE from another site to a route of a later release', elsewhere, 403, 'DELETE', '/later'],
    ['a preflight request', elsewhere, 403, 'OPTIONS', routes.onboarding],
  ] as const) {
    it(`${status === 403 ? 'rejects' : 'accepts'} ${name}`, async () => {
      const response = await fetch(app.url + path, { method, headers: headers() });
      expect(response.status).to.equal(status);
      if (status !== 403) return;
      expect(response.headers.get('content-type')).to.equal('text/plain; charset=utf-8');
      expect(response.headers.get('x-request-id')).to.match(ulid);
      expect(await response.text()).to.equal('Cross-origin requests are not allowed.\n');
    });
  }
});

describe('requireValidRequest', () => {
  const app = perSuite(() => createTestApp());
  const oneHost = /The request must have one Host header\.\n$/;

  for (const [name, version, fields, statuses, body] of [
    ['HTTP/1.0 without Host', '1.0', [], ['200'], /"user":null/],
    ['HTTP/1.1 without Host', '1.1', [], ['400'], oneHost],
    ['two Host headers', '1.1', ['Host: localhost', 'Host: elsewhere.example'], ['400'], oneHost],
    ['100-Continue', '1.1', ['Host: localhost', 'Expect: 100-Continue'], ['100', '200'], /"user":null/],
    ['another Expect', '1.1', ['Host: localhost', 'Expect: x'], ['417'], /This Expect header is not supported\.\n$/],
  ] as const) {
    it(`responds to ${name} with ${statuses.join(' and ')} and a request id`, async () => {
      const request = [`GET /auth/session HTTP/${version}`, 'Connection: close', ...fields, '\r\n'];
      const answer = await rawExchange(app.url, request.join('\r\n'));
      expect(answer.match(/(?<=^HTTP\/1\.1 )\d+/gm)).to.deep.equal(statuses);
      expect(answer)
        .to.match(/^X-Request-Id: [0-7][0-9A-Z]{25}\r$/m)
        .and.match(body);
    });
  }
});

describe('requireKnownHost', () => {
  const app = perSuite(() => createTestApp({ publicUrl: 'https://chat.example.com:8443' }));

  async function ask(host: string, path: string = routes.session) {
    const fields = [`Host: ${host}`, 'X-Request-Id: mine', 'Connection: close'];
    return exchange(app.url, `GET ${path} HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`);
  }

  const known = ['localhost:3000', 'LOCALHOST', 'chat.localhost:3000', '127.0.0.1', '[::1]:3000', '10.1.2.3'];
  const unknown = ['elsewhere.example', 'localhost.example', 'notlocalhost', 'www.chat.example.com', '[::1', ''];
  for (const host of [...known, 'chat.example.com', 'chat.example.com:8443', 'CHAT.example.com']) {
    it(`accepts ${host} in development`, async () => expect((await ask(host)).status).to.equal(200));
  }

  for (const host of unknown) {
    it(`rejects ${host || 'an empty host'} in development, with a request id`, async () => {
      const { status, valuesOf, body } = await ask(host);
      expect([status, body]).to.deep.equal([421, 'This host is not served here.\n']);
      expect(valuesOf('x-request-id')).to.deep.equal(['mine']);
    });
  }

  it('accepts other names for health checks', async () =>
    expect((await ask('instance.internal', '/healthz')).status).to.equal(200));

  it('accepts only addresses and localhost if the service has no public URL', () => {
    const hosts = ['localhost:3000', '127.0.0.1', 'chat.example.com', 'undefined'];
    expect(hosts.filter((host) => isKnownHost(host, undefined))).to.deep.equal(['localhost:3000', '127.0.0.1']);
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
    ['a client that has disconnected', development, undefined, undefined, false],
    ['a trusted proxy after HTTPS', { ...development, trustProxy: true }, '192.0.2.1', ' HTTPS , http', true],
    ['a trusted proxy after HTTP', { ...development, trustProxy: true }, '192.0.2.1', 'http, https', false],
    ['a trusted proxy without X-Forwarded-Proto', { ...development, trustProxy: true }, '192.0.2.1', undefined, false],
  ] as const) {
    it(`${isAccepted ? 'accepts' : 'rejects'} ${sender}`, () => {
      const request = { socket: { remoteAddress }, headers: { 'x-forwarded-proto': forwarded } } as unknown as Request;
      const send = () => requireHttps(options)(request, {} as Response, () => undefined);
      if (isAccepted) expect(send).not.to.throw();
      else expect(send).to.throw('HTTPS is required.');
    });
  }
});
