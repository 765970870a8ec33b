import { once } from 'node:events';
import { type RequestOptions, request } from 'node:https';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { buildClientIfStale } from '../../server/pages/client-build.ts';
import { createTlsFiles } from '../support/certificates.ts';
import { perSuite } from '../support/per-suite.ts';
import { rawExchange } from '../support/raw-http.ts';
import { createScriptedProvider, defaultReply } from '../support/scripted-provider.ts';
import { findFreePort, root, serveInProcess, temporaryDirectory } from '../support/served-process.ts';
import { required, testDatabaseUrl, testRedisUrl } from '../support/services.ts';
import { question } from '../support/test-app.ts';
import { createTestDatabase, databaseOn } from '../support/test-database.ts';

describe('production', function () {
  this.timeout(60_000);
  let served: ReturnType<typeof serveInProcess>;

  const storage = perSuite(() => createTestDatabase());
  const provider = perSuite(() => createScriptedProvider());
  const directory = perSuite(() => temporaryDirectory());
  const files = perSuite(() => createTlsFiles(directory.path));
  afterEach(async () => {
    served.kill('SIGTERM');
    await served.exited;
  });

  async function serve(): Promise<string> {
    await buildClientIfStale(root);
    const [row] = await storage.rows('select current_database() as name');
    const port = await findFreePort();
    served = serveInProcess({
      NODE_ENV: 'production',
      PORT: String(port),
      PUBLIC_URL: `https://localhost:${port}`,
      DATABASE_URL: databaseOn(required(testDatabaseUrl), String(row?.name)),
      REDIS_URL: required(testRedisUrl),
      SESSION_SECRET: 'production wants at least thirty-two characters',
      ANTHROPIC_API_KEY: 'test-key',
      ANTHROPIC_BASE_URL: provider.url,
      GITHUB_CLIENT_ID: 'id',
      GITHUB_CLIENT_SECRET: 'secret',
      TLS_CERT_FILE: files.certFile,
      TLS_KEY_FILE: files.keyFile,
    });
    return served.url;
  }

  /** Sends a request over TLS and trusts the test's certificate authority. */
  async function send(url: string, options: Pick<RequestOptions, 'method' | 'headers'> = {}, body = '') {
    const call = request(url, { ...options, family: 4, ca: files.authority, agent: false });
    call.end(body);
    const [response] = await once(call, 'response');
    return { status: response.statusCode, headers: response.headers, body: await text(response) };
  }

  it('serves pages and replies over TLS only, with the configured providers', async () => {
    const url = await serve();
    const page = await send(`${url}/`);
    expect(page.status).to.equal(200);
    expect(page.body).to.include('<title>');
    expect(page.headers['strict-transport-security']).to.equal('max-age=31536000');
    const json = { method: 'POST', headers: { 'Content-Type': 'application/json' } };
    expect((await send(`${url}/api/chat/demo`, json, JSON.stringify(question()))).body).to.equal(defaultReply.text);
    const session = await send(`${url}/auth/session`);
    expect(JSON.parse(session.body)).to.deep.equal({ user: null, providers: ['github'] });
    const signIn = await send(`${url}/auth/github`);
    expect(signIn.headers.location).to.match(/^https:\/\/github\.com\/login\/oauth\/authorize\?/);
    expect(signIn.headers['set-cookie']?.[0]).to.match(
      /^__Host-[^;]+; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/,
    );
    expect(await rawExchange(url, 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')).to.equal('');
    for (const line of served.output) expect(() => JSON.parse(line), line).not.to.throw();
  });
});
