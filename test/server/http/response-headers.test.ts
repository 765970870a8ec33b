import { expect } from 'chai';
import { describe, it } from 'mocha';
import { perSuite } from '../../support/per-suite.ts';
import { createTestApp } from '../../support/test-app.ts';

describe('the security headers', () => {
  const app = perSuite(() => createTestApp());

  it('isolate pages from other sites and do not name the server software', async () => {
    const { headers } = await fetch(`${app.url}/auth/session`, { headers: { Origin: app.url } });
    expect(headers.get('referrer-policy')).to.equal('same-origin');
    expect(headers.get('cross-origin-opener-policy')).to.equal('same-origin');
    expect(headers.get('cross-origin-resource-policy')).to.equal('same-origin');
    expect(headers.get('strict-transport-security'), 'over plain HTTP').to.equal(null);
    const names = [...headers.keys()];
    expect(names.filter((name) => name.startsWith('access-control-'))).to.deep.equal([]);
    expect(names).not.to.include.oneOf(['x-powered-by', 'server']);
  });

  it('deny device features, and leave the clipboard to the page', async () => {
    const policy = (await fetch(app.url)).headers.get('permissions-policy')?.split(', ');
    expect(policy).to.include.members(['camera=()', 'microphone=()', 'geolocation=()', 'payment=()', 'usb=()']);
    expect(policy?.join()).to.not.include('clipboard');
  });

  it('restrict pages to resources of this site and require Trusted Types', async () => {
    const { headers } = await fetch(app.url);
    expect(headers.get('content-security-policy')?.split(';')).to.have.members([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' blob:",
      "connect-src 'self'",
      "worker-src 'self'",
      "frame-src 'self'",
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

describe('a production instance behind a proxy', () => {
  const app = perSuite(() =>
    createTestApp({ production: true, trustProxy: true, publicUrl: 'https://chat.example.com' }),
  );

  it('serves health checks over HTTP and rejects other requests, with the security headers but without HSTS', async () => {
    for (const [path, status] of [
      ['/', 403],
      ['/healthz', 200],
      ['/readyz', 200],
    ] as const) {
      const response = await fetch(app.url + path);
      expect(response.status, path).to.equal(status);
      expect(response.headers.get('x-content-type-options'), path).to.equal('nosniff');
      expect(response.headers.get('content-security-policy'), path).to.include('frame-ancestors');
      expect(response.headers.get('strict-transport-security'), path).to.equal(null);
    }
  });
});
