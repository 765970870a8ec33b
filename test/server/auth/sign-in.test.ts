import { type Clock, install } from '@sinonjs/fake-timers';
import { expect } from 'chai';
import { sign } from 'cookie-signature';
import type { Request, Response } from 'express';
import { before, beforeEach, describe, it } from 'mocha';
import { sessionCookie } from '../../../server/auth/sessions.ts';
import { createSignInAttempts } from '../../../server/auth/sign-in.ts';
import { type Browser, createBrowser, locationOf } from '../../support/browser.ts';
import { closing } from '../../support/closing.ts';
import { perSuite } from '../../support/per-suite.ts';
import { createTestApp } from '../../support/test-app.ts';
import { startScriptedGitHub } from './scripted-github.ts';

const minuteMilliseconds = 60 * 1000;
const email = 'avery@example.com';
const secret = 'the secret of these tests';
const expired = '/sign-in?problem=expired';
const noCookie = '/sign-in?problem=cookies';

describe('a sign-in attempt', () => {
  let browser: Browser;

  const app = perSuite(() => createTestApp({ sessionSecrets: [secret] }));
  before(() => app.person());
  beforeEach(() => {
    browser = createBrowser(app.url);
  });

  /** Starts attempts with a clock that stands. A session may not begin meanwhile, because the embedded database has the same clock. */
  async function withClockAt(now: number, start: (clock: Clock) => Promise<void>): Promise<void> {
    const clock = install({ now, toFake: ['Date'] });
    await start(clock).finally(() => clock.uninstall());
  }
  const storedSessions = () => app.storage.rows('select sid from sessions order by sid');
  const withCookies = (address: string, cookies: readonly string[]) =>
    fetch(new URL(address, app.url), {
      headers: cookies.length > 0 ? { Cookie: cookies.join('; ') } : {},
      redirect: 'manual',
    });

  it('stores no session, and its cookie stays below 4 KB even with a long returnTo or invitation', async () => {
    const before = await storedSessions();
    const long = 'x'.repeat(12_000);
    for (const query of [{ returnTo: '/chat' }, { returnTo: `/${long}` }, { invitation: long }]) {
      const response = await browser.request(`/auth/google?${new URLSearchParams(query)}`);
      expect(response.status).to.equal(302);
      const [cookie = ''] = response.headers.getSetCookie();
      expect(cookie.replace(app.cookieName, '')).to.match(
        /^-sign-in-google-[0-9a-f]{24}=[^;]+; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/,
      );
      expect(cookie.length).to.be.below(4096);
    }
    expect(await storedSessions()).to.deep.equal(before);
  });

  it("expires after two hours by the server's clock", async () => {
    await using github = closing(await startScriptedGitHub());
    await using patient = await createTestApp({ providers: { github: github.settings } });
    for (const [minutes, landing] of [
      [119, '/onboarding'],
      [120, expired],
    ] as const) {
      const visitor = createBrowser(patient.url);
      let address = '';
      await withClockAt(Date.now() - minutes * minuteMilliseconds, async () => {
        address = await visitor.addressAtProvider('github');
      });
      const state = new URL(address).searchParams.get('state');
      const response = await visitor.request(`/auth/github/callback?code=a-code&state=${state}`);
      expect(locationOf(response), `${minutes} minutes`).to.equal(landing);
    }
  });

  it('accepts only one callback, even if its cookie is sent again', async () => {
    const address = await browser.approve('google', email);
    const cookies = browser.cookies();
    expect(locationOf(await withCookies(address, cookies))).to.equal('/chat');
    expect(locationOf(await withCookies(address, cookies))).to.equal(expired);
  });

  it('can be completed in each of two tabs, and returns to the path of its own tab', async () => {
    const first = await browser.approve('google', email, { returnTo: '/chat?tab=1' });
    const second = await browser.approve('google', email, { returnTo: '/chat?tab=2' });
    expect(locationOf(await browser.request(first))).to.equal('/chat?tab=1');
    expect(locationOf(await browser.request(second))).to.equal('/chat?tab=2');
    expect(browser.cookies().filter((cookie) => cookie.includes('sign-in'))).to.deep.equal([]);
  });

  it('is unaffected by a callback whose state is missing, unknown or from another browser', async () => {
    const address = await browser.approve('google', email);
    const elsewhere = await createBrowser(app.url).approve('google', email);
    for (const state of [
      undefined,
      'x'.repeat(24),
      '__proto__',
      '; Path=/',
      new URL(elsewhere).searchParams.get('state'),
    ]) {
      const wrong = new URL(address);
      if (state) wrong.searchParams.set('state', state);
      else wrong.searchParams.delete('state');
      const response = await browser.request(wrong.href);
      expect(locationOf(response), state ?? 'none').to.equal(expired);
      expect(response.headers.getSetCookie(), state ?? 'none').to.deep.equal([]);
    }
    expect(locationOf(await browser.request(address))).to.equal('/chat');
  });

  it('is displaced by the fifth newer attempt with the same provider, even of the same millisecond, but by none with another provider', async () => {
    const addresses: string[] = [];
    await withClockAt(Date.now(), async () => {
      for (let count = 0; count < 6; count += 1) addresses.push(await browser.approve('google', email));
    });
    const other = await browser.approve('github', email);
    const landings: string[] = [];
    for (const address of addresses) landings.push(locationOf(await browser.request(address)));
    expect(landings).to.deep.equal([expired, '/chat', '/chat', '/chat', '/chat', '/chat']);
    expect(locationOf(await browser.request(other))).to.equal('/onboarding');
  });

  it('leaves 2 KiB of a header line of 8 KiB to other cookies, regardless of the paths of the attempts', async () => {
    const returnTo = `/${'x'.repeat(990)}`;
    for (const provider of ['google', 'github', 'google', 'github', 'google', 'github'] as const) {
      await browser.addressAtProvider(provider, { returnTo });
      expect(browser.cookies().join('; ').length).to.be.below(6144);
    }
    expect(locationOf(await browser.signInWith('google', email, { returnTo }))).to.equal(returnTo);
  });

  it('is displaced, and leaves no cookie once it is completed, even in a browser that clears a Secure cookie only with its attributes', async () => {
    await using secure = await createTestApp({ publicUrl: 'https://chat.example.com', trustProxy: true });
    const visitor = createBrowser(secure.url, { 'X-Forwarded-Proto': 'https' });
    const query = { returnTo: '/chat', moved: 'true' };
    for (let count = 0; count < 7; count += 1) await visitor.addressAtProvider('google', query);
    expect(visitor.cookies()).to.have.length(5);
    const { pathname, search } = new URL(await visitor.approve('google', email, query));
    expect(locationOf(await visitor.request(pathname + search))).to.equal('/onboarding');
    expect(visitor.cookies().filter((cookie) => cookie.includes('sign-in'))).to.have.length(4);
  });

  it('clears the cookies of invalid attempts and of the oldest one, in whatever order they arrive, and no other cookie', async () => {
    await withClockAt(Date.now(), async (clock) => {
      for (let count = 0; count < 5; count += 1) {
        await browser.addressAtProvider('google');
        clock.tick(1);
      }
    });
    const [oldest = '', ...kept] = browser.cookies();
    const invalid = (number: number, value: string) => `${app.cookieName}-sign-in-google-${number}=${value}`;
    const outdated = [invalid(1, 'x'), oldest, invalid(2, sign('x', secret))];
    const response = await withCookies('/auth/google', [...kept, ...outdated, 'another=1']);
    const cleared = response.headers
      .getSetCookie()
      .filter((cookie) => /=; Path=\/; Expires=Thu, 01 Jan 1970/.test(cookie));
    const nameOf = (cookie: string) => cookie.split('=')[0];
    expect(cleared.map(nameOf)).to.have.members(outdated.map(nameOf));
  });

  it('is valid only with its signature and for its provider', async () => {
    const address = await browser.approve('google', email);
    const [cookie = ''] = browser.cookies();
    const [name, value = ''] = cookie.split('=');
    const [text = '', signature] = decodeURIComponent(value).split('.');
    const attempt = JSON.parse(Buffer.from(text, 'base64url').toString());
    const forged = Buffer.from(JSON.stringify({ ...attempt, returnTo: '//elsewhere.example' })).toString('base64url');
    for (const cookies of [[`${name}=${forged}.${signature}`], [`${name}=${text}`], [`${name}=x`]]) {
      expect(locationOf(await withCookies(address, cookies))).to.equal(expired);
    }
    const elsewhere = address.replace('/auth/google/', '/auth/github/');
    const renamed = name?.replace('google', 'github');
    expect(locationOf(await withCookies(elsewhere, [`${renamed}=${value}`]))).to.equal(expired);
    expect(locationOf(await withCookies(address, [cookie]))).to.equal('/chat');
  });

  it('is remembered as used until 10,000 later attempts have been used', () => {
    const attempts = createSignInAttempts({ secrets: [secret], cookie: sessionCookie('http://localhost:3000') });
    const response = { clearCookie: () => undefined, locals: { context: {} } } as unknown as Response;
    const endsAt = Date.now() + 120 * minuteMilliseconds;
    const answer = (number: number) => {
      const state = `${number}`;
      const attempt = { provider: 'google', state, verifier: '', returnTo: '/chat', invitation: null };
      const text = Buffer.from(JSON.stringify({ ...attempt, endsAt })).toString('base64url');
      const cookie = `advisory-chat-3000-sign-in-google-${state}=${sign(text, secret)}`;
      const request = { headers: { cookie }, query: { state } } as unknown as Request;
      return attempts.take(request, response, 'google') !== undefined;
    };
    expect(answer(0)).to.equal(true);
    for (let number = 1; number < 10_000; number += 1) answer(number);
    expect(answer(0)).to.equal(false);
    answer(10_000);
    expect(answer(0)).to.equal(true);
  });

  it('reports problem=cookies only if the browser returns without any cookie', async () => {
    const address = await browser.approve('google', email);
    expect(locationOf(await withCookies(address, []))).to.equal(noCookie);
    for (const cookie of ['another=1', `${app.cookieName}=x`, `${app.cookieName}-sign-in-github-x=x`]) {
      expect(locationOf(await withCookies(address, [cookie])), cookie).to.equal(expired);
    }
  });

  it('does not restore an ended session if the sign-in fails', async () => {
    await browser.signInWith('google', email);
    const signedIn = browser.cookies();
    const address = new URL(await browser.approve('google', email));
    address.searchParams.set('code', 'invented');
    await fetch(`${app.url}/auth/sign-out`, { method: 'POST', headers: { Cookie: signedIn.join('; ') } });
    const before = await storedSessions();
    expect(locationOf(await browser.request(address.href))).to.equal('/sign-in?problem=unavailable');
    expect(await storedSessions()).to.deep.equal(before);
    expect(await (await withCookies('/auth/session', signedIn)).json()).to.include({ user: null });
  });
});
