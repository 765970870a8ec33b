import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { createTestApp, question, type TestApp } from '../../../support/test-app.ts';

describe('the headers for browsers', () => {
  let app: TestApp;

  before(async () => {
    app = await createTestApp();
  });
  after(() => app.close());

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
});
