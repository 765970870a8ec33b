import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { createBuiltPages } from '../../../server/pages/built-pages.ts';
import { parseResponse, rawExchange } from '../../support/raw-http.ts';
import { temporaryDirectory } from '../../support/served-process.ts';
import { createTestApp, type TestApp } from '../../support/test-app.ts';

describe('the built pages', () => {
  let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
  let app: TestApp;

  before(async () => {
    directory = await temporaryDirectory();
    await mkdir(join(directory.path, 'assets'));
    await writeFile(join(directory.path, 'index.html'), '<!doctype html><title>The page</title>');
    await writeFile(join(directory.path, 'assets', 'app-1234.js'), 'export {};');
    app = await createTestApp({ pages: createBuiltPages(directory.path) });
  });
  after(async () => {
    await app.close();
    await directory.remove();
  });

  for (const path of ['/', '/chat', '/sign-in', '/onboarding']) {
    it(`answer ${path} with the page, which is asked for again each time`, async () => {
      const response = await fetch(app.url + path);
      expect(response.status).to.equal(200);
      expect(response.headers.get('content-type')).to.equal('text/html; charset=utf-8');
      expect(response.headers.get('cache-control')).to.equal('no-cache');
      expect(await response.text()).to.include('The page');
    });
  }

  it('answer an asset once and for all, and a repeated question with 304 and a request id', async () => {
    const first = await fetch(`${app.url}/assets/app-1234.js`);
    expect(first.headers.get('cache-control')).to.equal('public, max-age=31536000, immutable');
    // Not by fetch, which asks past every cache.
    const raw = await rawExchange(
      app.url,
      `GET /assets/app-1234.js HTTP/1.1\r\nHost: x\r\nIf-None-Match: ${first.headers.get('etag')}\r\n`,
      'Connection: close\r\n\r\n',
    );
    const second = parseResponse(raw);
    expect(second.status).to.equal(304);
    expect(Object.fromEntries(second.headers)['x-request-id']).to.have.length(26);
  });

  for (const path of [
    '/assets/missing.js',
    '/chat/',
    '/Chat',
    '/nowhere',
    '/v1/chat',
    '/api/conversations',
    '/API/engagement',
    '/%61pi/conversations',
    '/index.html/',
    '/../package.json',
    '/assets',
    '/assets/',
    '/.sources',
  ]) {
    it(`are not the answer to ${path}, whatever it accepts`, async () => {
      const response = await fetch(app.url + path, { headers: { Accept: 'text/html' } });
      expect(response.status).to.equal(404);
      expect(response.headers.get('content-type')).to.equal('text/plain; charset=utf-8');
    });
  }

  it('tell a person who mistyped an address in a browser so, with 404', async () => {
    const response = await fetch(`${app.url}/chatt`, { headers: { 'Sec-Fetch-Dest': 'document' } });
    expect(response.status).to.equal(404);
    expect(response.headers.get('cache-control')).to.equal(null);
    expect(await response.text()).to.include('The page');
  });

  for (const path of ['/assets/missing.js', '/missing.js', '/v1/chat', '/API/engagement', '/%61pi/conversations']) {
    it(`are not the answer to ${path}, also in a browser`, async () => {
      const response = await fetch(app.url + path, { headers: { 'Sec-Fetch-Dest': 'document' } });
      expect(response.status).to.equal(404);
      expect(response.headers.get('content-type')).to.equal('text/plain; charset=utf-8');
    });
  }

  it('may load nothing from elsewhere', async () => {
    const policy = (await fetch(app.url)).headers.get('content-security-policy');
    expect(policy).to.include("default-src 'none'").and.not.include('unsafe');
  });
});
