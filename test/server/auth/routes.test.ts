import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { maySignUp, returnPath } from '../../../server/auth/routes.ts';
import { providerNames } from '../../../shared/session.ts';
import { createBrowser, locationOf } from '../../support/browser.ts';
import { perSuite } from '../../support/per-suite.ts';
import { createTestApp } from '../../support/test-app.ts';

describe('the sign-in routes', () => {
  const app = perSuite(() => createTestApp());

  const scopes = { google: 'openid profile email', github: 'user:email', microsoft: 'user.read' };
  for (const provider of providerNames) {
    it(`redirect to ${provider} with a new state, an S256 challenge, the public callback URL and the scope ${scopes[provider]}`, async () => {
      const browser = createBrowser(app.url);
      const first = new URL(await browser.addressAtProvider(provider)).searchParams;
      const second = new URL(await browser.addressAtProvider(provider)).searchParams;
      expect(first.get('state')).to.match(/^\w{24}$/);
      expect(second.get('state')).not.to.equal(first.get('state'));
      expect(first.get('code_challenge')).to.match(/^[\w-]{43}$/);
      expect(first.get('code_challenge_method')).to.equal('S256');
      expect(first.get('redirect_uri')).to.equal(`${app.url}/auth/${provider}/callback`);
      expect(first.get('scope')).to.equal(scopes[provider]);
    });
  }

  for (const provider of providerNames) {
    it(`let ${provider} ask for the account only with prompt=select_account`, async () => {
      const browser = createBrowser(app.url);
      const promptOf = async (query: string) =>
        new URL(locationOf(await browser.request(`/auth/${provider}${query}`))).searchParams.get('prompt');
      expect(await promptOf('?prompt=select_account')).to.equal('select_account');
      for (const query of ['', '?prompt=none', '?prompt=select_account&prompt=none']) {
        expect(await promptOf(query), query).to.equal(null);
      }
    });
  }

  it('redirect to the page of the only Microsoft directory whose accounts may sign in, or to the common page if accounts of any directory may', async () => {
    const providers = { microsoft: { clientId: 'id', clientSecret: 'secret' } };
    for (const microsoftTenant of ['example.com', undefined]) {
      await using real = await createTestApp({ providers, microsoftTenant });
      const { origin, pathname } = new URL(await createBrowser(real.url).addressAtProvider('microsoft'));
      expect(origin + pathname).to.equal(
        `https://login.microsoftonline.com/${microsoftTenant ?? 'common'}/oauth2/v2.0/authorize`,
      );
    }
  });

  it('redirect from another host name to the public one before the sign-in starts, but only once', async () => {
    const { port } = new URL(app.url);
    const elsewhere = createBrowser(`http://127.0.0.1:${port}`);
    const response = await elsewhere.request('/auth/google?returnTo=%2Fchat');
    expect(locationOf(response)).to.equal(`${app.url}/auth/google?returnTo=%2Fchat&moved=true`);
    expect(elsewhere.cookies()).to.deep.equal([]);
    expect(locationOf(await elsewhere.request('/auth/google?moved=true'))).to.include('/o/oauth2/v2/auth?');
  });

  it('redirect a navigation from another site or a sibling host to the sign-in page with the same query', async () => {
    const browser = createBrowser(app.url);
    const start = (site: string) =>
      browser.request('/auth/google?returnTo=%2Fchat&invitation=token', { headers: { 'Sec-Fetch-Site': site } });
    for (const site of ['cross-site', 'same-site']) {
      const response = await start(site);
      expect(response.status, site).to.equal(302);
      expect(locationOf(response), site).to.equal('/sign-in?returnTo=%2Fchat&invitation=token');
      expect(response.headers.getSetCookie(), site).to.deep.equal([]);
    }
    for (const site of ['same-origin', 'none']) {
      expect(locationOf(await start(site)), site).to.include('/o/oauth2/v2/auth?');
    }
  });

  it('return 404 for a provider that is unknown or not configured', async () => {
    await using onlyGitHub = await createTestApp({ providers: { github: { clientId: 'id', clientSecret: 'secret' } } });
    const browser = createBrowser(onlyGitHub.url);
    for (const path of [
      '/auth/google',
      '/auth/google/callback?code=1',
      '/auth/constructor',
      '/auth/GitHub',
      '/auth/github/',
    ]) {
      expect((await browser.request(path)).status, path).to.equal(404);
    }
    expect((await (await browser.request('/auth/session')).json()).providers).to.deep.equal(['github']);
  });

  it('return no user, no cookie and Cache-Control: no-store from GET /auth/session without a session', async () => {
    const response = await fetch(`${app.url}/auth/session`);
    expect(response.status).to.equal(200);
    expect(response.headers.get('Cache-Control')).to.equal('no-store');
    expect(response.headers.getSetCookie()).to.deep.equal([]);
    expect(await response.json()).to.deep.equal({ user: null, providers: [...providerNames] });
  });
});

const publicUrl = 'http://localhost:3000';

describe('returnPath', () => {
  it('returns a path of this site unchanged', () => {
    const longest = `/${'ü'.repeat(499)}x`;
    for (const path of ['/', '/chat', '/chat?draft=1#end', '/onboarding', '/a//b', '/ünïcode', longest]) {
      expect(returnPath(path, publicUrl)).to.equal(path);
    }
  });

  it('returns /chat for anything else', () => {
    for (const path of [
      undefined,
      '',
      'chat',
      ['/chat', '/chat'],
      'https://elsewhere.example/',
      '//elsewhere.example',
      '/\\elsewhere.example',
      '/\t/elsewhere.example',
      '/\n/elsewhere.example',
      'javascript:alert(1)',
      `/${'ü'.repeat(500)}`,
    ]) {
      expect(returnPath(path, publicUrl), JSON.stringify(path)).to.equal('/chat');
    }
  });

  it('never returns a path that a browser resolves to another origin', () => {
    const confusing = fc.constantFrom('/', '\\', '.', '..', '@', ':', '%2f', '\t', '\n', 'elsewhere.example', 'http:');
    fc.assert(
      fc.property(fc.array(confusing), (parts) => {
        expect(new URL(returnPath(parts.join(''), publicUrl), publicUrl).origin).to.equal(publicUrl);
      }),
    );
  });
});

describe('maySignUp', () => {
  const signUp = { mode: 'invited', domains: ['kelvin.example'] } as const;
  const from = (email: string | null, emailVerified = true) =>
    maySignUp({ provider: 'google', subject: '1', name: null, email, emailVerified }, signUp);

  it('accepts a verified address of a listed domain in upper or lower case, but not an unverified one', () => {
    for (const address of ['avery@kelvin.example', 'AVERY@KELVIN.EXAMPLE']) {
      expect([from(address), from(address, false)], address).to.deep.equal([true, false]);
    }
  });

  it('rejects a domain that only resembles a listed one', () => {
    for (const domain of [
      'sub.kelvin.example',
      'kelvin.example.',
      'notkelvin.example',
      'kelvin.example.org',
      'kelvin.example@other.example',
      '\u212Aelvin.example',
      '\uFF4Belvin.example',
      'kelvin\u3002example',
    ]) {
      expect(from(`avery@${domain}`), domain).to.equal(false);
    }
  });
});
