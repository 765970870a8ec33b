import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { startEmulatedSignIn } from '../../../server/embedded/emulated-sign-in.ts';
import { providerNames, sessionSchema } from '../../../shared/session.ts';
import { createBrowser, locationOf } from '../../support/browser.ts';
import { closing } from '../../support/closing.ts';
import { createPeopleInMemory, startAuthApp } from './auth-app.ts';

type App = Awaited<ReturnType<typeof startAuthApp>>;

describe('sign-in routes', () => {
  let emulated: Awaited<ReturnType<typeof startEmulatedSignIn>>;
  let app: App;

  before(async () => {
    emulated = await startEmulatedSignIn(providerNames);
    app = await startAuthApp({ providers: emulated.settings });
  });

  after(async () => {
    await app.close();
    await emulated.close();
  });

  const sessionOf = async (browser: ReturnType<typeof createBrowser>) =>
    sessionSchema.parse(await (await browser.request('/auth/session')).json());

  for (const provider of providerNames) {
    describe(provider, () => {
      it('signs in, and the session names the person', async () => {
        const browser = createBrowser(app.url);
        const response = await browser.signInWith(provider, 'avery@example.com');
        expect(response.status).to.equal(302);
        expect(locationOf(response)).to.equal('/chat');
        expect((await sessionOf(browser)).user).to.include({ name: 'Avery Example', email: 'avery@example.com' });
      });

      it('is asked with a fresh state and an S256 challenge, and sends back to the public address', async () => {
        const browser = createBrowser(app.url);
        const first = new URL(await browser.addressAtProvider(provider)).searchParams;
        const second = new URL(await browser.addressAtProvider(provider)).searchParams;
        expect(first.get('state')).to.match(/^\w{24}$/);
        expect(second.get('state')).not.to.equal(first.get('state'));
        expect(first.get('code_challenge')).to.match(/^[\w-]{43}$/);
        expect(first.get('code_challenge_method')).to.equal('S256');
        expect(first.get('redirect_uri')).to.equal(`${app.publicUrl}/auth/${provider}/callback`);
      });
    });
  }

  it('sends whoever is not onboarded to onboarding, wherever they were going', async () => {
    const people = createPeopleInMemory({ onboarded: false });
    await using newcomers = closing(await startAuthApp({ providers: emulated.settings, people }));
    const response = await createBrowser(newcomers.url).signInWith('google', 'blake@example.com', {
      returnTo: '/chat?draft=1',
    });
    expect(locationOf(response)).to.equal('/onboarding');
  });

  it('returns to where the person was going on this site', async () => {
    const response = await createBrowser(app.url).signInWith('google', 'avery@example.com', {
      returnTo: '/chat?draft=1',
    });
    expect(locationOf(response)).to.equal('/chat?draft=1');
  });

  it('moves to the public host first, once, where the session cookie has to be', async () => {
    const { port } = new URL(app.url);
    const elsewhere = createBrowser(`http://127.0.0.1:${port}`);
    const response = await elsewhere.request('/auth/google?returnTo=%2Fchat');
    expect(locationOf(response)).to.equal(`${app.publicUrl}/auth/google?returnTo=%2Fchat&moved=true`);
    expect(elsewhere.cookies()).to.deep.equal([]);
    expect(locationOf(await elsewhere.request('/auth/google?moved=true'))).to.include('/o/oauth2/v2/auth?');
  });

  it('is 404 for a provider that is unknown or not configured', async () => {
    const providers = emulated.settings.github ? { github: emulated.settings.github } : {};
    await using onlyGitHub = closing(await startAuthApp({ providers }));
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
    expect((await sessionOf(browser)).providers).to.deep.equal(['github']);
  });

  describe('GET /auth/session', () => {
    it('answers 200 without a user, is never stored and sets no cookie', async () => {
      const response = await fetch(`${app.url}/auth/session`);
      expect(response.status).to.equal(200);
      expect(response.headers.get('Cache-Control')).to.equal('no-store');
      expect(response.headers.getSetCookie()).to.deep.equal([]);
      expect(await response.json()).to.deep.equal({ user: null, providers: [...providerNames] });
    });
  });

  describe('POST /auth/sign-out', () => {
    it('ends the session on the server: the old cookie is worth nothing', async () => {
      const browser = createBrowser(app.url);
      await browser.signInWith('google', 'avery@example.com');
      const Cookie = browser.cookies().join('; ');
      expect((await fetch(`${app.url}/guarded`, { headers: { Cookie } })).status).to.equal(200);

      expect((await browser.request('/auth/sign-out', { method: 'POST' })).status).to.equal(204);
      expect(browser.cookies()).to.deep.equal([]);
      expect((await fetch(`${app.url}/guarded`, { headers: { Cookie } })).status).to.equal(401);
    });

    it('is 204 without a session too', async () => {
      expect((await fetch(`${app.url}/auth/sign-out`, { method: 'POST' })).status).to.equal(204);
    });
  });
});
