import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type RequestOptions, request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { buildClientIfStale } from '../../server/pages/client-build.ts';
import { rawExchange } from '../support/raw-http.ts';
import { createScriptedProvider, defaultReply, type ScriptedProvider } from '../support/scripted-provider.ts';
import { freePort, root, serveInProcess, temporaryDirectory } from '../support/served-process.ts';
import { required, testDatabaseUrl, testRedisUrl } from '../support/services.ts';
import { question } from '../support/test-app.ts';
import { createTestDatabase, databaseOn, type TestDatabase } from '../support/test-database.ts';

describe('production', function () {
  this.timeout(60_000);
  let storage: TestDatabase;
  let provider: ScriptedProvider;
  let files: Awaited<ReturnType<typeof temporaryDirectory>>;
  const instances: ReturnType<typeof serveInProcess>[] = [];

  before(async () => {
    required(testRedisUrl);
    storage = await createTestDatabase();
    provider = await createScriptedProvider();
    files = await temporaryDirectory();
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
    const output = ['-keyout', join(files.path, 'key.pem'), '-out', join(files.path, 'cert.pem')];
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject, ...output], {
      stdio: 'ignore',
    });
    await buildClientIfStale(root);
  });
  after(async () => {
    for (const instance of instances) instance.kill('SIGTERM');
    await Promise.all(instances.map(({ exited }) => exited));
    await provider.close();
    await files.remove();
    await storage.close();
  });

  async function serve(variables: Record<string, string> = {}) {
    const [row] = await storage.rows('select current_database() as name');
    const port = await freePort();
    const instance = serveInProcess({
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
      TLS_CERT_FILE: join(files.path, 'cert.pem'),
      TLS_KEY_FILE: join(files.path, 'key.pem'),
      ...variables,
    });
    instances.push(instance);
    return { ...instance, url: await instance.url };
  }

  /** A request over TLS that trusts the test's own certificate. */
  async function send(
    url: string,
    options: Pick<RequestOptions, 'method' | 'headers' | 'localAddress'> = {},
    body = '',
  ) {
    const ca = readFileSync(join(files.path, 'cert.pem'));
    const call = request(url, { ...options, family: 4, ca, agent: false });
    call.end(body);
    const [response] = await once(call, 'response');
    return { status: response.statusCode, headers: response.headers, body: await text(response) };
  }

  /** Asks from an address of this machine, and names another one in a header. */
  const ask = (url: string, localAddress: string, named: string) => {
    const headers = { 'Content-Type': 'application/json', 'X-Forwarded-For': named };
    return send(`${url}/api/chat/demo`, { method: 'POST', headers, localAddress }, JSON.stringify(question()));
  };

  it('serves pages and replies over TLS, with the providers that are configured, and no plain HTTP', async () => {
    const { url, output } = await serve();
    const page = await send(`${url}/`);
    expect(page.status).to.equal(200);
    expect(page.body).to.include('<title>');
    expect(page.headers['strict-transport-security']).to.equal('max-age=31536000');
    expect((await ask(url, '127.0.0.2', '203.0.113.1')).body).to.equal(defaultReply.text);
    const session = await send(`${url}/auth/session`);
    expect(JSON.parse(session.body)).to.deep.equal({ user: null, providers: ['github'] });
    const signIn = await send(`${url}/auth/github`);
    expect(signIn.headers.location).to.match(/^https:\/\/github\.com\/login\/oauth\/authorize\?/);
    expect(signIn.headers['set-cookie']?.[0]).to.match(
      /^__Host-[^;]+; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/,
    );
    expect(await rawExchange(url, 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')).to.equal('');
    for (const line of output) expect(() => JSON.parse(line), line).not.to.throw();
  });
});
