import { createServer } from 'node:http';
import { Socket } from 'node:net';
import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { startEmulatedSignIn } from '../../server/embedded/emulated-sign-in.ts';
import { type ProviderName, providerNames } from '../../shared/session.ts';
import { listen } from '../support/loopback.ts';
import { perSuite } from '../support/per-suite.ts';
import { testDatabaseUrl } from '../support/services.ts';
import { createTestApp, question, type TestApp } from '../support/test-app.ts';

/** Returns the targets of this process's connections during `work`, as `host:port`. */
async function connectionsDuring(work: () => Promise<void>): Promise<string[]> {
  const { connect } = Socket.prototype;
  const targets = new Set<string>();
  Socket.prototype.connect = function recordAndConnect(this: Socket, ...parameters: unknown[]) {
    targets.add(targetOf(parameters.flat()));
    return Reflect.apply(connect, this, parameters);
  };
  try {
    await work();
  } finally {
    Socket.prototype.connect = connect;
  }
  return [...targets];
}

function targetOf([first, second]: unknown[]): string {
  if (typeof first !== 'object' || first === null) return `${second}:${first}`;
  const { host, port, path }: { host?: unknown; port?: unknown; path?: unknown } = first;
  return path ? String(path) : `${host}:${port}`;
}

describe('Outbound connections', () => {
  /** A URL in client-controlled fields of the requests, which the service must never call. */
  let decoy: string;

  const emulated = perSuite(() => startEmulatedSignIn(providerNames));
  const elsewhere = perSuite(() => listen(createServer((_request, response) => response.end())));
  before(() => {
    decoy = `http://127.0.0.1:${elsewhere.port}`;
  });

  const refuse = (status: number, headers = {}) => ({
    refuse: { status, type: 'scripted_error', message: 'Scripted failure.', headers },
  });

  async function exerciseRoutes(app: TestApp, provider: ProviderName): Promise<void> {
    const headers = { Referer: decoy, Forwarded: `host=${decoy}`, 'X-Forwarded-Host': new URL(decoy).host };
    const who = provider === 'github' ? 'avery-example' : 'avery@example.com';
    const person = await app.person({ provider, who });
    const { request, signInWith } = person.browser;
    await (await app.live(person, { ...question(decoy), conversationId: decoy, webhook: decoy }, headers)).text();
    const image = { type: 'image', source: { type: 'url', url: decoy } };
    await (await app.demo(question([image]), headers)).text();
    // The provider's client could retry after the first refusal, and follow the redirect of the second.
    for (const refusal of [refuse(500), refuse(307, { location: `${decoy}/v1/messages` })]) {
      app.provider.answerWith(refusal);
      expect((await app.live(person, question())).status).to.equal(502);
      expect((await app.demo(question())).status).to.equal(502);
    }
    app.provider.reset();
    for (const path of ['/', '/readyz', '/nowhere', `/${decoy}`]) await fetch(app.url + path, { headers });
    await request(`/auth/${provider}/callback?code=1&state=2&iss=${decoy}&redirect_uri=${decoy}`);
    expect((await signInWith(provider, who, { returnTo: decoy })).headers.get('location')).to.equal('/chat');
    await request('/auth/sign-out', { method: 'POST' });
  }

  it('21 Outbound calls go to the model provider and the sign-in hosts only', async () => {
    let provider = '';
    let own = '';
    const targets = await connectionsDuring(async () => {
      await using app = await createTestApp({ providers: emulated.settings });
      provider = app.provider.url;
      own = app.url;
      for (const name of providerNames) await exerciseRoutes(app, name);
    });
    const signInHosts = Object.values(emulated.settings).map(({ endpoints }) => endpoints?.tokenURL ?? '');
    const database = testDatabaseUrl === undefined ? [] : [testDatabaseUrl];
    // The requests to the app come from this process too.
    const expected = [own, provider, ...signInHosts, ...database];
    expect(targets).to.have.members(expected.map((url) => new URL(url).host));
  });
});
