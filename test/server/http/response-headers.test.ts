import { expect } from 'chai';
import type { RequestHandler } from 'express';
import { describe, it } from 'mocha';
import { diagramHeaders, securityHeaders } from '../../../server/http/security-headers.ts';
import { perSuite } from '../../support/per-suite.ts';
import { exchange } from '../../support/raw-http.ts';
import { serveExpress } from '../../support/serve-express.ts';
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

describe('the security headers in development', () => {
  it("allow inline scripts and styles and Vite's WebSocket, and do not require Trusted Types", async () => {
    await using server = await serveExpress((app) => {
      const end: RequestHandler = (_request, response) => void response.end();
      app.use('/diagram', diagramHeaders({ development: true, publicUrl: undefined }), end);
      app.use('/page', securityHeaders({ development: true }), end);
    });
    const policyOf = async (path: string) =>
      (await fetch(server.url + path)).headers.get('content-security-policy')?.split(';');
    const policy = await policyOf('/page');
    for (const name of ['script', 'style']) expect(policy).to.include(`${name}-src 'self' 'unsafe-inline'`);
    expect(policy).to.include("connect-src 'self' ws:");
    expect(policy?.join()).not.to.include('trusted-types');
    expect(await policyOf('/diagram')).to.include(`script-src 'self' ${server.url} 'unsafe-inline'`);
  });
});

describe('a production instance behind a proxy', () => {
  const app = perSuite(() =>
    createTestApp({ production: true, trustProxy: true, publicUrl: 'https://chat.example.com' }),
  );

  for (const [path, scheme, status, hsts, body] of [
    ['/', 'http', 403, [], /^HTTPS is required\.\n$/],
    ['/healthz', 'http', 200, [], /^\{"status":"ok"\}$/],
    ['/readyz', 'http', 200, [], /^\{"ready":true,"draining":false\}$/],
    ['/auth/session', 'https', 200, ['max-age=31536000'], /^\{/],
  ] as const) {
    it(`responds to GET ${path} over ${scheme} with ${status} for any host, with the security headers`, async () => {
      const fields = ['Host: instance.internal', `X-Forwarded-Proto: ${scheme}`, 'Connection: close'];
      const answer = await exchange(app.url, `GET ${path} HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`);
      expect(answer.status).to.equal(status);
      expect(answer.body).to.match(body);
      expect(answer.valuesOf('x-content-type-options')).to.deep.equal(['nosniff']);
      expect(answer.valuesOf('content-security-policy').join()).to.include('frame-ancestors');
      expect(answer.valuesOf('strict-transport-security')).to.deep.equal(hsts);
    });
  }

  it('is alive but not ready while it is shutting down', async () => {
    app.draining.abort();
    const ready = await fetch(`${app.url}/readyz`);
    expect([ready.status, await ready.json()]).to.deep.equal([503, { ready: false, draining: true }]);
    expect((await fetch(`${app.url}/healthz`)).status).to.equal(200);
  });
});
