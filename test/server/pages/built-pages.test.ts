import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { createBuiltPages } from '../../../server/pages/built-pages.ts';
import { perSuite } from '../../support/per-suite.ts';
import { temporaryDirectory } from '../../support/served-process.ts';
import { createTestApp } from '../../support/test-app.ts';

const page =
  '<!doctype html><title>The page</title><style>p{}</style><script>let a;</script><script src="/b.js"></script>';
const script = `export const words = '${'again and '.repeat(50)}';`;

describe('the built pages', () => {
  const directory = perSuite(() => temporaryDirectory());
  before(async () => {
    await mkdir(join(directory.path, 'assets'));
    await writeFile(join(directory.path, 'index.html'), page);
    await writeFile(join(directory.path, 'index.html.br'), brotliCompressSync(page));
    const asset = join(directory.path, 'assets', 'app-1234.js');
    await writeFile(asset, script);
    await writeFile(`${asset}.br`, brotliCompressSync(script));
    await writeFile(`${asset}.gz`, gzipSync(script));
    await writeFile(join(directory.path, 'assets', 'plain-1234.css'), 'body {}');
    await mkdir(join(directory.path, 'assets', 'diagram'));
    await writeFile(join(directory.path, 'assets', 'diagram', 'diagram-1234.js'), script);
    await writeFile(join(directory.path, 'icon.svg'), '<svg/>');
    await writeFile(join(directory.path, 'diagram.html'), '<!doctype html><title>Diagram</title>');
  });
  const app = perSuite(() => createTestApp({ pages: createBuiltPages(directory.path, 'https://chat.example.com/') }));

  /** `fetch` would decompress the body and send its own caching headers. */
  async function get(path: string, headers: Record<string, string> = {}) {
    const call = request(app.url + path, { headers, agent: false }).end();
    const [response] = await once(call, 'response');
    return { status: response.statusCode, headers: response.headers, body: await buffer(response) };
  }

  const scriptFile = { path: '/assets/app-1234.js?v=1', type: 'text/javascript; charset=utf-8', content: script };
  const styleFile = { path: '/assets/plain-1234.css', type: 'text/css; charset=utf-8', content: 'body {}' };
  const decompress = { br: brotliDecompressSync, gzip: gunzipSync, identity: (body: Buffer) => body };

  for (const [accepted, coding, { path, type, content }] of [
    ['gzip, deflate, br, zstd', 'br', scriptFile],
    ['gzip', 'gzip', scriptFile],
    ['br;q=0, gzip', 'gzip', scriptFile],
    ['br;q=0.5, gzip;q=1', 'br', scriptFile],
    ['br;q=0, gzip;q=0, zstd', 'identity', scriptFile],
    [undefined, 'identity', scriptFile],
    ['gzip, br', 'identity', styleFile],
  ] as const) {
    it(`send ${path} in ${coding} to a client that accepts ${accepted ?? 'no coding'}, with its own media type`, async () => {
      const { status, headers, body } = await get(path, accepted === undefined ? {} : { 'Accept-Encoding': accepted });
      expect(status).to.equal(200);
      expect(decompress[coding](body).toString()).to.equal(content);
      expect(headers['content-encoding'] ?? 'identity').to.equal(coding);
      expect(headers).to.include({
        'content-type': type,
        'content-length': String(body.length),
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'Accept-Encoding',
      });
    });
  }

  it('allow only their own inline scripts and styles, by hash', async () => {
    const sourceOf = (content: string) => `'sha256-${createHash('sha256').update(content).digest('base64')}'`;
    const { headers } = await get('/');
    expect(String(headers['content-security-policy']).split(';')).to.include.members([
      `script-src 'self' ${sourceOf('let a;')}`,
      `style-src 'self' ${sourceOf('p{}')}`,
    ]);
  });

  it('give the diagram page an opaque origin, no network access, and no embedder other than this site', async () => {
    // WebKit needs the names, because `'self'` matches nothing there.
    const ownSources = `'self' https://chat.example.com ${app.url}`;
    for (const path of ['/diagram', '/diagram.html']) {
      const { status, headers } = await get(path);
      expect(status, path).to.equal(200);
      expect(headers['cache-control'], path).to.equal('no-cache');
      expect(String(headers['content-security-policy']).split(';'), path).to.have.members([
        "default-src 'none'",
        `script-src ${ownSources}`,
        `style-src ${ownSources} 'unsafe-inline'`,
        'img-src data:',
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'self'",
        'sandbox allow-scripts',
      ]);
    }
  });

  it('let the diagram page import its modules from its opaque origin, and no other files', async () => {
    const originAllowed = async (path: string) =>
      (await get(path, { Origin: 'null' })).headers['access-control-allow-origin'];
    expect(await originAllowed('/assets/diagram/diagram-1234.js')).to.equal('*');
    expect(await originAllowed('/assets/app-1234.js')).to.equal(undefined);
    expect(await originAllowed('/')).to.equal(undefined);
  });

  it('send a file whose name contains no hash with max-age=0', async () => {
    const { status, headers } = await get('/icon.svg');
    expect(status).to.equal(200);
    expect(headers).to.include({ 'content-type': 'image/svg+xml', 'cache-control': 'public, max-age=0' });
  });

  it('have an ETag per encoding, and respond with 304 if it matches', async () => {
    const tags = new Set<string | undefined>();
    for (const accepted of ['identity', 'gzip', 'br']) {
      const { etag } = (await get('/assets/app-1234.js', { 'Accept-Encoding': accepted })).headers;
      tags.add(etag);
      const again = await get('/assets/app-1234.js', { 'Accept-Encoding': accepted, 'If-None-Match': etag });
      expect([again.status, again.body.length, again.headers.vary]).to.deep.equal([304, 0, 'Accept-Encoding']);
    }
    expect(tags.size).to.equal(3);
  });

  const navigations = {
    'a browser': { 'Sec-Fetch-Dest': 'document', 'Sec-Fetch-Mode': 'navigate' },
    'a service worker in Chromium': { 'Sec-Fetch-Dest': 'empty', 'Sec-Fetch-Mode': 'navigate' },
    'a service worker in Firefox': { 'Sec-Fetch-Dest': 'empty', 'Sec-Fetch-Mode': 'same-origin' },
  };
  for (const [sender, headers] of Object.entries(navigations)) {
    it(`send the page with no-cache at each of its paths, and with 404 to ${sender} at a mistyped path`, async () => {
      for (const [path, status, caching] of [
        ['/', 200, 'no-cache'],
        ['/chat', 200, 'no-cache'],
        ['/c/4f7c2a0e-5f0e-4f6e-9f59-3f1f8a1d2b3c', 200, 'no-cache'],
        ['/chatt', 404, undefined],
        ['/chat/xyz', 404, undefined],
        ['/C/abc/', 404, undefined],
      ] as const) {
        const answer = await get(path, { 'Accept-Encoding': 'gzip, br', ...headers });
        expect(answer.status, path).to.equal(status);
        expect(brotliDecompressSync(answer.body).toString(), path).to.equal(page);
        expect(answer.headers, path).to.include({
          'content-encoding': 'br',
          'content-type': 'text/html; charset=utf-8',
          vary: 'Accept-Encoding',
        });
        expect(answer.headers['cache-control'], path).to.equal(caching);
      }
    });
  }

  it('are read into memory at startup, so that a slow client keeps no file open', async () => {
    await rm(join(directory.path, 'assets', 'plain-1234.css'));
    expect((await get('/assets/plain-1234.css')).body.toString()).to.equal('body {}');
  });

  const otherPaths =
    `/assets/missing.js /chat/ /Chat /c /c/ /c/one/two /c/one/ /C/one /c/%6fne /c/%zz /c/${'x'.repeat(65)} /nowhere
    /index.html/ /../package.json /assets /assets/ /assets/%zz /index.html.br /.sources`.split(/\s+/);
  const ofBrowser = ['/assets/missing.js', '/missing.js', '/API/engagement', '/auth/nowhere', '/%61pi/conversations'];
  for (const [paths, headers] of [
    [otherPaths, { Accept: 'text/html' }],
    [otherPaths, { Accept: 'text/html', 'Sec-Fetch-Dest': 'empty', 'Sec-Fetch-Mode': 'cors' }],
    [ofBrowser, { 'Sec-Fetch-Dest': 'document' }],
  ] as const) {
    for (const path of paths) {
      it(`are not sent for ${path} with ${JSON.stringify(headers)}`, async () => {
        const response = await fetch(app.url + path, { headers });
        expect(response.status).to.equal(404);
        expect(response.headers.get('content-type')).to.equal('text/plain; charset=utf-8');
      });
    }
  }
});
