import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { buildClientIfStale } from '../../server/pages/client-build.ts';
import { findNonEphemeralPort } from '../support/non-ephemeral-port.ts';
import { perSuite } from '../support/per-suite.ts';
import { createScriptedProvider, defaultReply } from '../support/scripted-provider.ts';
import { root, serveInProcess } from '../support/served-process.ts';
import { required, testDatabaseUrl, testRedisUrl } from '../support/services.ts';
import { question } from '../support/test-app.ts';
import { createTestDatabase, databaseOn } from '../support/test-database.ts';
import { connectTestRedis } from '../support/test-redis.ts';

describe('production', () => {
  let served: ReturnType<typeof serveInProcess>;

  const storage = perSuite(() => createTestDatabase());
  const provider = perSuite(() => createScriptedProvider());
  afterEach(async () => {
    served.kill('SIGTERM');
    await served.exited;
  });

  async function serve(redisUrl = required(testRedisUrl)): Promise<string> {
    await buildClientIfStale(root);
    const [row] = await storage.rows('select current_database() as name');
    const port = await findNonEphemeralPort();
    served = serveInProcess({
      NODE_ENV: 'production',
      PORT: String(port),
      PUBLIC_URL: `https://127.0.0.1:${port}`,
      DATABASE_URL: databaseOn(required(testDatabaseUrl), String(row?.name)),
      REDIS_URL: redisUrl,
      SESSION_SECRET: 'production wants at least thirty-two characters',
      ANTHROPIC_API_KEY: 'test-key',
      ANTHROPIC_BASE_URL: provider.url,
      GITHUB_CLIENT_ID: 'id',
      GITHUB_CLIENT_SECRET: 'secret',
      TRUST_PROXY: 'true',
    });
    await served.url;
    // The address for the proxy and for health checks.
    return `http://127.0.0.1:${port}`;
  }

  it('serves pages, replies and the configured providers to requests that a proxy received over HTTPS', async () => {
    const url = await serve();
    /** Sends a request as a proxy that terminates TLS forwards it. */
    const forward = (path: string, { headers, ...options }: RequestInit = {}) =>
      fetch(`${url}${path}`, {
        ...options,
        headers: { ...headers, 'X-Forwarded-Proto': 'https' },
        redirect: 'manual',
      });

    const page = await forward('/');
    expect(page.status).to.equal(200);
    expect(await page.text()).to.include('<title>');
    expect(page.headers.get('strict-transport-security')).to.equal('max-age=31536000');
    const json = { method: 'POST', headers: { 'Content-Type': 'application/json' } };
    const reply = await forward('/api/chat/demo', { ...json, body: JSON.stringify(question()) });
    expect(await reply.text()).to.equal(defaultReply.text);
    const session = await forward('/auth/session');
    expect(await session.json()).to.deep.equal({ user: null, providers: ['github'] });
    const signIn = await forward('/auth/github');
    expect(signIn.headers.get('location')).to.match(/^https:\/\/github\.com\/login\/oauth\/authorize\?/);
    expect(signIn.headers.getSetCookie()[0]).to.match(
      /^__Host-[^;]+; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/,
    );
    expect((await fetch(url)).status).to.equal(403);
    for (const path of ['/healthz', '/readyz']) expect((await fetch(`${url}${path}`)).status).to.equal(200);
    for (const line of served.output) expect(() => JSON.parse(line), line).not.to.throw();
  });

  it("logs a warning of Redis' client as JSON", async () => {
    const operator = await connectTestRedis();
    await operator.call('ACL', 'SETUSER', 'uninformed', 'on', '>a-password', '~*', '&*', '+@all', '-info');
    try {
      const url = new URL(required(testRedisUrl));
      Object.assign(url, { username: 'uninformed', password: 'a-password' });
      await serve(url.href);
      const line = await served.printed(/INFO command fails/);
      expect(JSON.parse(line)).to.include({ level: 40, msg: 'console output of a library' });
    } finally {
      await operator.call('ACL', 'DELUSER', 'uninformed');
      operator.disconnect();
    }
  });
});
