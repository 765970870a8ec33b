import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { providerNames } from '../../shared/session.ts';
import { perSuite } from '../support/per-suite.ts';
import { defaultReply } from '../support/scripted-provider.ts';
import { createTestApp, type Person, question, type TestApp } from '../support/test-app.ts';
import { createTestDatabase } from '../support/test-database.ts';

describe('Live chat: access', () => {
  const storage = perSuite(() => createTestDatabase());
  const app = perSuite(() => createTestApp({ shared: { storage } }));
  beforeEach(() => app.provider.reset());

  async function expectServed(person: { cookie: string }, instance = app): Promise<void> {
    const response = await instance.live(person, question());
    expect(response.status).to.equal(200);
    expect(await response.text()).to.equal(defaultReply.text);
  }

  async function expectRefused(cookie: string, status: number, body: string, instance = app): Promise<Response> {
    const response = await instance.live({ cookie }, question());
    expect(response.status, cookie).to.equal(status);
    expect(response.headers.get('content-type')).to.equal('text/plain; charset=utf-8');
    expect(await response.text()).to.equal(body);
    return response;
  }

  const expectUnauthenticated = (cookie: string, instance?: TestApp) =>
    expectRefused(cookie, 401, 'UNAUTHENTICATED: Sign in to continue.', instance);

  const expectNotOnboarded = (cookie: string) =>
    expectRefused(cookie, 403, 'NOT_ONBOARDED: Complete onboarding to continue.');

  /** Parses a session cookie, `name=s:id.signature` with an encoded value. */
  function partsOf({ cookie }: Person) {
    const [, name = '', id = '', signature = ''] = /^(.+)=s:(.+)\.(.+)$/.exec(decodeURIComponent(cookie)) ?? [];
    return { name, id, signature };
  }

  /** Returns cookies that an attacker could build from their own and another person's cookie. */
  function tampered(person: Person, other: Person): string[] {
    const { name, id, signature } = partsOf(person);
    const { id: otherId, signature: otherSignature } = partsOf(other);
    const changed = (text: string) => `${text.startsWith('A') ? 'B' : 'A'}${text.slice(1)}`;
    return [
      `s:${changed(id)}.${signature}`,
      `s:${id}.${changed(signature)}`,
      `s:${id}.${otherSignature}`,
      `s:${otherId}.${signature}`,
      `s:${id}.${signature.slice(0, -1)}`,
      `s:${id}.${signature}x`,
      `s:${id}.`,
      `s:${id}`,
      `${id}.${signature}`,
      id,
      `j:{"userId":"${other.user.id}"}`,
    ].map((text) => `${name}=${encodeURIComponent(text)}`);
  }

  it('31 A request without a cookie is 401 UNAUTHENTICATED', async () => {
    await expectUnauthenticated('');
    await expectUnauthenticated('theme=dark');
    await expectUnauthenticated(`${app.cookieName}=`);
  });

  it('32 A request with a tampered cookie is 401', async () => {
    const avery = await app.person();
    const casey = await app.person({ provider: 'github', who: 'casey-example' });
    for (const cookie of tampered(avery, casey)) await expectUnauthenticated(cookie);
    await expectUnauthenticated(avery.cookie.replace(app.cookieName, '__Host-advisory-chat'));
    const sessionSecrets = ['another secret of at least thirty-two characters'] as const;
    await using stranger = await createTestApp({ shared: { storage }, sessionSecrets });
    await expectUnauthenticated(avery.cookie, stranger);
    await expectServed(avery);
  });

  it('33 A request with an unknown session is 401', async () => {
    const avery = await app.person();
    const [session] = await storage.rows('delete from sessions where sess::jsonb ->> ? = ? returning sid', [
      'userId',
      avery.user.id,
    ]);
    expect(session).to.have.property('sid');
    await expectUnauthenticated(avery.cookie);
  });

  it('34 A request with an expired session is 401', async () => {
    const avery = await app.person();
    const expire = (interval: string) => storage.rows(`update sessions set expire = now() + interval '${interval}'`);
    await expire('1 minute');
    await expectServed(avery);
    await expire('-1 second');
    await expectUnauthenticated(avery.cookie);
  });

  it('35 A request with the session of a deleted user is 401', async () => {
    const drew = await app.person({ provider: 'microsoft', who: 'drew@example.com' });
    await expectServed(drew);
    await storage.administration.deleteUser(drew.user.id);
    await expectUnauthenticated(drew.cookie);
  });

  it('36 A 401 is plain text and sets no cookie', async () => {
    const avery = await app.person();
    const drew = await app.person({ provider: 'microsoft', who: 'drew@example.com' });
    await storage.administration.deleteUser(drew.user.id);
    for (const cookie of ['', `${app.cookieName}=garbage`, ...tampered(avery, drew), drew.cookie]) {
      const { headers } = await expectUnauthenticated(cookie);
      expect(headers.getSetCookie()).to.deep.equal([]);
      for (const absent of ['location', 'www-authenticate']) expect(headers.get(absent)).to.equal(null);
    }
  });

  it('37 A user whose onboardedAt is null gets 403 NOT_ONBOARDED', async () => {
    const blake = await app.person({ who: 'blake@example.com', onboarded: false });
    const { headers } = await expectNotOnboarded(blake.cookie);
    expect(headers.getSetCookie()).to.deep.equal([]);
  });

  it('38 A user whose onboardedAt is cleared mid-session gets 403', async () => {
    const avery = await app.person({ provider: 'microsoft' });
    await expectServed(avery);
    await storage.administration.setOnboarded(avery.user.id, false);
    await expectNotOnboarded(avery.cookie);
  });

  it('39 A user whose onboardedAt is set mid-session gets 200', async () => {
    const casey = await app.person({ provider: 'github', who: 'casey-example', onboarded: false });
    await storage.administration.setOnboarded(casey.user.id, false);
    await expectNotOnboarded(casey.cookie);
    await storage.administration.setOnboarded(casey.user.id, true);
    await expectServed(casey);
  });

  it('40 A refusal leaves no row and no provider call', async () => {
    const avery = await app.person();
    const casey = await app.person({ provider: 'github', who: 'casey-example' });
    const blake = await app.person({ who: 'blake@example.com', onboarded: false });
    await storage.rows('delete from conversations');
    for (const cookie of ['', ...tampered(avery, casey)]) await expectUnauthenticated(cookie);
    await expectNotOnboarded(blake.cookie);
    for (const table of ['conversations', 'chat_messages']) {
      expect(await storage.rows(`select id from ${table}`), table).to.deep.equal([]);
    }
    expect(app.provider.requests).to.have.length(0);
  });

  it('41 A session survives a restart', async () => {
    let avery: Person;
    {
      await using stopped = await createTestApp({ shared: { storage } });
      avery = await stopped.person();
      await expectServed(avery, stopped);
    }
    await using started = await createTestApp({ shared: { storage } });
    await expectServed(avery, started);
  });

  it('42 A session is valid at a second instance', async () => {
    await using other = await createTestApp({ shared: { storage } });
    const avery = await app.person();
    await expectServed(avery, other);
    await avery.browser.request('/auth/sign-out', { method: 'POST' });
    await expectUnauthenticated(avery.cookie);
    await expectUnauthenticated(avery.cookie, other);
  });

  it('43 Sign-in works with each of the three providers', async () => {
    const ids = new Set<string>();
    for (const provider of providerNames) {
      const who = provider === 'github' ? 'avery-example' : 'avery@example.com';
      const person = await app.person({ provider, who });
      await storage.administration.setOnboarded(person.user.id, true);
      await expectServed(person);
      ids.add(person.user.id);
    }
    expect(ids.size).to.equal(providerNames.length);
  });
});
