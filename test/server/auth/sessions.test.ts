import { expect } from 'chai';
import type session from 'express-session';
import { before, beforeEach, describe, it } from 'mocha';
import { routes } from '../../../shared/interface.ts';
import { type Browser, createBrowser } from '../../support/browser.ts';
import { closing } from '../../support/closing.ts';
import { perSuite } from '../../support/per-suite.ts';
import { createTestApp } from '../../support/test-app.ts';
import { startScriptedGitHub } from './scripted-github.ts';

const minuteMilliseconds = 60 * 1000;
const dayMilliseconds = 24 * 60 * minuteMilliseconds;

/** Returns the name and attributes of a cookie, with the remaining days instead of `Expires`. */
function attributesOf(cookie: string | undefined): string {
  const [first = '', ...attributes] = (cookie ?? '').split('; ');
  const lives = (expires: string) => Math.round((Date.parse(expires) - Date.now()) / dayMilliseconds);
  return [
    first.split('=')[0],
    ...attributes.map((each) => each.replace(/^Expires=(.*)/, (_, at) => `lives ${lives(at)}`)),
  ].join('; ');
}

/** Records the calls of a session store, and fails them while `failing` is set. */
function watchStore(store: session.Store) {
  const watched = { calls: [] as string[], failing: false };
  for (const name of ['get', 'set', 'destroy'] as const) {
    const call = store[name].bind(store) as (...parameters: unknown[]) => void;
    store[name] = (...parameters: unknown[]) => {
      watched.calls.push(name);
      if (watched.failing) (parameters.at(-1) as (error: Error) => void)(new Error('The store is down.'));
      else call(...parameters);
    };
  }
  return watched;
}

/** Starts a sign-in at once, as after the redirect to the public URL. */
const movedToPublicUrl = { returnTo: '/chat', moved: 'true' };

const isSignedIn = async (browser: Browser, url = '') =>
  (await (await browser.request(url + routes.session)).json()).user !== null;

describe('sessions', () => {
  const email = 'avery@example.com';
  let browser: Browser;
  let store: ReturnType<typeof watchStore>;

  const app = perSuite(() => createTestApp());
  before(() => {
    store = watchStore(app.storage.database.sessionStore);
  });
  beforeEach(async () => {
    browser = createBrowser(app.url);
    store.failing = false;
    store.calls.length = 0;
  });

  /** Makes all sessions older. A fake clock would leave timers in the embedded database, which runs on the clock of the process. */
  const pass = (milliseconds: number) =>
    app.storage.rows(
      `update sessions set expire = expire - :age * interval '1 ms', sess = sess::jsonb || jsonb_build_object(
        'begunAt', (sess ->> 'begunAt')::bigint - :age, 'renewedAt', (sess ->> 'renewedAt')::bigint - :age)`.replaceAll(
        ':age',
        `${milliseconds}`,
      ),
    );

  const signIn = () => browser.signInWith('google', email);
  const expectUnauthenticated = async (init: RequestInit = {}) =>
    expect((await browser.request(routes.join, { method: 'POST', ...init })).status).to.equal(401);

  it('set a cookie for 30 days, with the port in its name, HttpOnly and SameSite', async () => {
    expect(attributesOf((await signIn()).headers.getSetCookie().at(-1))).to.equal(
      `advisory-chat-${new URL(app.url).port}; Path=/; lives 30; HttpOnly; SameSite=Lax`,
    );
  });

  it('set a Secure cookie with the __Host- prefix if the public URL is HTTPS', async () => {
    await using secure = await createTestApp({ publicUrl: 'https://chat.example.com', trustProxy: true });
    const visitor = createBrowser(secure.url, { 'X-Forwarded-Proto': 'https' });
    const { pathname, search } = new URL(await visitor.approve('google', email, movedToPublicUrl));
    const response = await visitor.request(pathname + search);
    expect(attributesOf(response.headers.getSetCookie().at(-1))).to.equal(
      '__Host-advisory-chat; Path=/; lives 30; HttpOnly; Secure; SameSite=Lax',
    );
    const signOut = await visitor.request(routes.signOut, { method: 'POST' });
    expect(signOut.headers.getSetCookie().join()).to.match(/^__Host-advisory-chat=; Path=\/; Expires=Thu, 01 Jan 1970/);
    expect(visitor.cookies()).to.deep.equal([]);
  });

  it('are written only once at sign-in, with a new id, after the previous session of the browser has been deleted', async () => {
    await signIn();
    expect(store.calls).to.deep.equal(['set']);
    store.calls.length = 0;
    const [previous = ''] = browser.cookies();
    await signIn();
    expect(store.calls).to.deep.equal(['destroy', 'set']);
    expect(await isSignedIn(browser)).to.equal(true);
    await expectUnauthenticated({ headers: { Cookie: previous } });
  });

  it('and attempts stay valid while the secret is rotated on two instances in turn', async () => {
    await using github = closing(await startScriptedGitHub());
    await using instances = new AsyncDisposableStack();
    const options = { shared: app, providers: { github: github.settings }, publicUrl: 'http://localhost' };
    const startWith = async (sessionSecrets: [string, ...string[]]) =>
      instances.use(await createTestApp({ ...options, sessionSecrets })).url;
    const urls = [await startWith(['old']), await startWith(['old'])];

    async function signIn(from: string, to: string): Promise<Browser> {
      const visitor = createBrowser(from);
      const state = new URL(await visitor.addressAtProvider('github', movedToPublicUrl)).searchParams.get('state');
      await visitor.request(`${to}/auth/github/callback?code=a-code&state=${state}`);
      return visitor;
    }

    const first = urls[0] ?? '';
    const regular = await signIn(first, first);
    // The steps of docs/security.md, "Rotate a secret".
    for (const secrets of [['old', 'new'], ['new', 'old'], ['new']] as [string, ...string[]][]) {
      for (const index of [0, 1]) {
        await pass(dayMilliseconds);
        urls[index] = await startWith(secrets);
        for (const from of urls) {
          for (const to of urls) {
            const visitor = await signIn(from, to);
            for (const url of urls) expect(await isSignedIn(visitor, url), `${secrets} ${index}`).to.equal(true);
          }
        }
        for (const url of urls) expect(await isSignedIn(regular, url), `${secrets} ${index}`).to.equal(true);
      }
    }
  });

  it('expire 30 days after their last renewal', async () => {
    await signIn();
    await pass(30 * dayMilliseconds - minuteMilliseconds);
    expect(await isSignedIn(browser)).to.equal(true);
    await pass(30 * dayMilliseconds);
    const response = await browser.request(routes.session);
    expect((await response.json()).user).to.equal(null);
    expect(response.headers.getSetCookie()).to.deep.equal([]);
  });

  it('expire 90 days after sign-in, even if they are renewed every day', async () => {
    await signIn();
    for (let day = 1; day < 90; day += 1) {
      await pass(dayMilliseconds);
      const response = await browser.request(routes.session);
      expect((await response.json()).user, `day ${day}`).not.to.equal(null);
      const lives = Math.min(30, 90 - day);
      expect(attributesOf(response.headers.getSetCookie()[0])).to.include(`lives ${lives}`);
    }
    await pass(dayMilliseconds);
    expect(await isSignedIn(browser)).to.equal(false);
  });

  for (const [method, path] of [
    ['GET', routes.session],
    ['POST', routes.join],
  ] as const) {
    it(`are renewed once a day by ${method} ${path}, with one write`, async () => {
      await signIn();

      const visit = async () => {
        store.calls.length = 0;
        const response = await browser.request(path, { method });
        return { calls: store.calls, cookies: response.headers.getSetCookie() };
      };
      await pass(dayMilliseconds - minuteMilliseconds);
      expect(await visit()).to.deep.equal({ calls: ['get'], cookies: [] });
      await pass(minuteMilliseconds);
      const { calls, cookies } = await visit();
      expect(calls).to.deep.equal(['get', 'set']);
      expect(attributesOf(cookies[0])).to.include('lives 30');
      expect(await visit()).to.deep.equal({ calls: ['get'], cookies: [] });
    });
  }

  describe('while the store fails', () => {
    async function expectInternal(response: Response) {
      expect(response.status).to.equal(500);
      expect(await response.text()).to.equal('INTERNAL: Something went wrong on our side.');
    }

    it('return 500 and do not sign out the user', async () => {
      await signIn();
      store.failing = true;
      await expectInternal(await browser.request(routes.session));
      for (const path of [routes.join, routes.signOut]) {
        await expectInternal(await browser.request(path, { method: 'POST' }));
      }
      store.failing = false;
      expect(await isSignedIn(browser)).to.equal(true);
    });

    it('are not read when a sign-in starts, but make its callback return 500 without a session cookie', async () => {
      store.failing = true;
      const address = await browser.approve('google', email);
      expect(store.calls).to.deep.equal([]);
      const response = await browser.request(address);
      expect(response.headers.getSetCookie().join()).not.to.include(`${app.cookieName}=`);
      expect(store.calls, 'deletes the session if it was stored nevertheless').to.deep.equal(['set', 'destroy']);
      await expectInternal(response);
    });

    it('are not read for a client without a session cookie', async () => {
      store.failing = true;
      expect((await browser.request(routes.session)).status).to.equal(200);
      await expectUnauthenticated();
      expect((await browser.request(routes.signOut, { method: 'POST' })).status).to.equal(204);
      expect(store.calls).to.deep.equal([]);
    });
  });
});
