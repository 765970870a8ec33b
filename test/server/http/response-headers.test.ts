import { expect } from 'chai';
import { describe, it } from 'mocha';
import { ofSuite } from '../../support/of-suite.ts';
import { createTestApp, question } from '../../support/test-app.ts';

describe('the headers for browsers', () => {
  const app = ofSuite(() => createTestApp());

  const asked = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(question()) };
  const exchanges: [string, RequestInit, number][] = [
    ['/api/chat/demo', asked, 200],
    ['/api/chat', asked, 401],
    ['/api/chat', {}, 405],
    ['/auth/session', {}, 200],
    ['/auth/google', { redirect: 'manual' }, 302],
    ['/nowhere', {}, 404],
    ['/healthz', {}, 200],
    ['/readyz', {}, 200],
  ];
  for (const [path, request, status] of exchanges) {
    it(`are on ${path} where it is ${status}`, async () => {
      const response = await fetch(app.url + path, { ...request, headers: { Origin: app.url, ...request.headers } });
      await response.text();
      expect(response.status).to.equal(status);
      const header = (name: string) => response.headers.get(name) ?? '';
      expect(header('x-content-type-options')).to.equal('nosniff');
      expect(header('referrer-policy')).to.equal('same-origin');
      expect(header('cross-origin-opener-policy')).to.equal('same-origin');
      expect(header('cross-origin-resource-policy')).to.equal('same-origin');
      const policy = header('content-security-policy').split(/; ?/);
      expect(policy).to.include.members(["base-uri 'none'", "object-src 'none'", "frame-ancestors 'none'"]);
      // No page of another site may read an answer, and nothing names what the server is made of.
      const names = [...response.headers.keys()];
      expect(names.filter((name) => name.startsWith('access-control-'))).to.deep.equal([]);
      expect(names).not.to.include.oneOf(['x-powered-by', 'server']);
    });
  }

  it('let pages load what is our own, and make no markup of text', async () => {
    const { headers } = await fetch(app.url);
    expect(headers.get('content-security-policy')?.split(';')).to.have.members([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self'",
      "connect-src 'self'",
      "worker-src 'self'",
      "object-src 'none'",
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      'trusted-types own-worker',
    ]);
  });
});

describe('HTTPS only', () => {
  const app = ofSuite(() =>
    createTestApp({ production: true, trustProxy: true, publicUrl: 'https://chat.example.com' }),
  );

  it('has the headers for browsers on the refusal, but says nothing of HTTPS where nobody can trust it', async () => {
    for (const path of ['/', '/healthz']) {
      const { headers } = await fetch(app.url + path);
      expect(headers.get('x-content-type-options')).to.equal('nosniff');
      expect(headers.get('content-security-policy')).to.include('frame-ancestors');
      expect(headers.get('strict-transport-security')).to.equal(null);
    }
  });

  it('still answers health checks', async () => {
    for (const path of ['/healthz', '/readyz']) expect((await fetch(app.url + path)).status).to.equal(200);
  });
});
