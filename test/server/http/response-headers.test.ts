import { expect } from 'chai';
import { describe, it } from 'mocha';
import { perSuite } from '../../support/per-suite.ts';
import { exchange } from '../../support/raw-http.ts';
import { createTestApp } from '../../support/test-app.ts';

describe('the security headers', () => {
  const app = perSuite(() => createTestApp());

  it('isolate pages from other sites, deny device features but not the clipboard, and do not name the server', async () => {
    const { headers } = await fetch(`${app.url}/auth/session`, { headers: { Origin: app.url } });
    expect(headers.get('referrer-policy')).to.equal('same-origin');
    expect(headers.get('cross-origin-opener-policy')).to.equal('same-origin');
    expect(headers.get('cross-origin-resource-policy')).to.equal('same-origin');
    expect(headers.get('strict-transport-security'), 'over plain HTTP').to.equal(null);
    const names = [...headers.keys()];
    expect(names.filter((name) => name.startsWith('access-control-'))).to.deep.equal([]);
    expect(names).not.to.include.oneOf(['x-powered-by', 'server']);
    const features = headers.get('permissions-policy')?.split(', ');
    expect(features).to.include.members(['camera=()', 'microphone=()', 'geolocation=()', 'payment=()', 'usb=()']);
    expect(features?.join()).to.not.include('clipboard');
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

  for (const [path, scheme, status, hsts] of [
    ['/', 'http', 403, []],
    ['/healthz', 'http', 200, []],
    ['/readyz', 'http', 200, []],
    ['/auth/session', 'https', 200, ['max-age=31536000']],
  ] as const) {
    it(`responds to GET ${path} over ${scheme} with ${status} for any host, with the security headers`, async () => {
      const fields = ['Host: instance.internal', `X-Forwarded-Proto: ${scheme}`, 'Connection: close'];
      const answer = await exchange(app.url, `GET ${path} HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`);
      expect(answer.status).to.equal(status);
      expect(answer.valuesOf('x-content-type-options')).to.deep.equal(['nosniff']);
      expect(answer.valuesOf('content-security-policy').join()).to.include('frame-ancestors');
      expect(answer.valuesOf('strict-transport-security')).to.deep.equal(hsts);
    });
  }
});
