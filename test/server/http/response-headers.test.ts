import { expect } from 'chai';
import { describe, it } from 'mocha';
import { ofSuite } from '../../support/of-suite.ts';
import { createTestApp } from '../../support/test-app.ts';

describe('the headers for browsers', () => {
  const app = ofSuite(() => createTestApp());

  it('keep pages of other sites out, and name nothing that the server is made of', async () => {
    const { headers } = await fetch(`${app.url}/auth/session`, { headers: { Origin: app.url } });
    expect(headers.get('referrer-policy')).to.equal('same-origin');
    expect(headers.get('cross-origin-opener-policy')).to.equal('same-origin');
    expect(headers.get('cross-origin-resource-policy')).to.equal('same-origin');
    expect(headers.get('strict-transport-security'), 'over plain HTTP').to.equal(null);
    const names = [...headers.keys()];
    expect(names.filter((name) => name.startsWith('access-control-'))).to.deep.equal([]);
    expect(names).not.to.include.oneOf(['x-powered-by', 'server']);
  });

  it('let pages load what is our own, and make no markup of text', async () => {
    const { headers } = await fetch(app.url);
    expect(headers.get('content-security-policy')?.split(';')).to.have.members([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self'",
      "connect-src 'self'",
      "worker-src 'self'",
      "manifest-src 'self'",
      "object-src 'none'",
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      'trusted-types service-worker',
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
