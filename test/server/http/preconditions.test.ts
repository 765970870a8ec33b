import { expect } from 'chai';
import { describe, it } from 'mocha';
import { routes } from '../../../shared/interface.ts';
import { perSuite } from '../../support/per-suite.ts';
import { parseResponse, rawExchange } from '../../support/raw-http.ts';
import { createTestApp, exampleOnboarding, post, question } from '../../support/test-app.ts';

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
    const { status, headers, body } = parseResponse(
      await rawExchange(app.url, `GET /auth/session HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`),
    );
    expect([status, body]).to.deep.equal([400, 'The request must have one Host header.\n']);
    expect(new Map(headers).get('x-request-id')).to.match(/^\w{26}$/);
  });
});

describe("a request from another site's page", () => {
  const app = perSuite(() => createTestApp({ limits: { demo: 2, live: 2 } }));
  const avery = perSuite(() => app.person());

  const elsewhere = { Origin: 'https://elsewhere.example', 'Sec-Fetch-Site': 'cross-site' };

  /** Sends a request that a form can post without a preflight. */
  const formPost = (path: string) =>
    fetch(app.url + path, {
      method: 'POST',
      headers: { 'Content-Type': 'text/plain', Cookie: avery.cookie, 'Sec-Fetch-Site': 'cross-site', Origin: 'null' },
      body: JSON.stringify(question()),
    });

  const { demoChat, liveChat, signOut, signOutEverywhere, onboarding, join } = routes;
  for (const path of [demoChat, liveChat, signOut, signOutEverywhere, onboarding, join]) {
    it(`to ${path} is rejected with 403 in plain text`, async () => {
      const response = await post(app.url + path, exampleOnboarding, { Cookie: avery.cookie, ...elsewhere });
      expect(response.status).to.equal(403);
      expect(response.headers.get('content-type')).to.equal('text/plain; charset=utf-8');
      expect(response.headers.get('x-request-id')).not.to.equal(null);
      expect(await response.text()).to.equal('Cross-origin requests are not allowed.\n');
    });
  }

  it("does not count against the visitor's rate limits", async () => {
    for (let count = 0; count < 5; count += 1) {
      expect((await formPost(routes.demoChat)).status).to.equal(403);
      expect((await formPost(routes.liveChat)).status).to.equal(403);
    }
    for (const headers of [undefined, { Origin: app.url, 'Sec-Fetch-Site': 'same-origin' }]) {
      for (const reply of [await app.demo(question(), headers), await app.live(avery, question(), headers)]) {
        expect(reply.status).to.equal(200);
        await reply.text();
      }
    }
    expect((await app.demo(question())).status).to.equal(429);
  });
});
