import { install } from '@sinonjs/fake-timers';
import { expect } from 'chai';
import session from 'express-session';
import { afterEach, describe, it } from 'mocha';
import { startEmulatedSignIn } from '../../../server/embedded/emulated-sign-in.ts';
import { type Browser, createBrowser } from '../../support/browser.ts';
import { perSuite } from '../../support/per-suite.ts';
import { createPeopleInMemory, startAuthApp } from './auth-app.ts';
import { startScriptedGitHub } from './scripted-github.ts';

const minuteMilliseconds = 60 * 1000;
const dayMilliseconds = 24 * 60 * minuteMilliseconds;

/** Returns the name and attributes of a cookie, with the remaining lifetime as a multiple of `unit` instead of `Expires`. */
function attributesOf(cookie: string | undefined, unit: number): string {
  const [first = '', ...attributes] = (cookie ?? '').split('; ');
  const lives = (expires: string) => Math.round((Date.parse(expires) - Date.now()) / unit);
  return [
    first.split('=')[0],
    ...attributes.map((each) => each.replace(/^Expires=(.*)/, (_, at) => `lives ${lives(at)}`)),
  ].join('; ');
}

class ObservedStore extends session.MemoryStore {
  calls: string[] = [];
  failing = false;

  #observe(call: string, done: ((error: Error) => void) | undefined, pass: () => void): void {
    this.calls.push(call);
    if (this.failing) done?.(new Error('The store is down.'));
    else pass();
  }

  override get(...[id, done]: Parameters<session.MemoryStore['get']>): void {
    this.#observe('get', done, () => super.get(id, done));
  }

  override set(...[id, data, done]: Parameters<session.MemoryStore['set']>): void {
    this.#observe('set', done, () => super.set(id, data, done));
  }

  override destroy(...[id, done]: Parameters<session.MemoryStore['destroy']>): void {
    this.#observe('destroy', done, () => super.destroy(id, done));
  }

  // The database's store has no `touch`, because `requireUser` renews sessions.
  override touch(...[, , done]: Parameters<session.MemoryStore['touch']>): void {
    done?.();
  }
}

describe('sessions', () => {
  const opened: { close(): Promise<void> }[] = [];

  const emulated = perSuite(() => startEmulatedSignIn(['google']));

  afterEach(async () => {
    for (const each of opened.splice(0)) await each.close();
  });

  async function start(options: Parameters<typeof startAuthApp>[0] = {}) {
    const app = await startAuthApp({ providers: emulated.settings, ...options });
    opened.push(app);
    return app;
  }

  /** Stops the clock, but not the timers, which HTTP needs. */
  function stopClock() {
    const clock = install({ now: Date.parse('2026-11-21T09:00:00Z'), toFake: ['Date'] });
    opened.push({ close: async () => clock.uninstall() });
    return clock;
  }

  const email = 'avery@example.com';

  it('set a cookie for 30 days with HttpOnly and SameSite', async () => {
    const app = await start();
    const response = await createBrowser(app.url).signInWith('google', email);
    const cookie = response.headers.getSetCookie().at(-1);
    expect(attributesOf(cookie, dayMilliseconds)).to.equal(
      `advisory-chat-${new URL(app.url).port}; Path=/; lives 30; HttpOnly; SameSite=Lax`,
    );
  });

  it('of two instances on one machine do not replace each other', async () => {
    const urls = [(await start()).url, (await start()).url];
    const browsers = urls.map((url) => createBrowser(url));
    for (const browser of browsers) await browser.signInWith('google', email);
    // A browser has one cookie of a name for all ports of a host.
    const jar = new Map(
      browsers.flatMap((browser) => browser.cookies().map((cookie) => [cookie.split('=')[0], cookie])),
    );
    for (const url of urls) {
      const session = await fetch(`${url}/auth/session`, { headers: { Cookie: [...jar.values()].join('; ') } });
      expect((await session.json()).user, url).to.have.property('id');
    }
  });

  it('set a Secure cookie with the __Host- prefix if the public URL is HTTPS', async () => {
    const app = await start({ secure: true });
    const browser = createBrowser(app.publicUrl.replace('https:', 'http:'), { 'X-Forwarded-Proto': 'https' });
    const address = await browser.approve('google', email);
    const response = await browser.request(address.replace('https:', 'http:'));
    const cookie = response.headers.getSetCookie().at(-1);
    expect(attributesOf(cookie, dayMilliseconds)).to.equal(
      '__Host-advisory-chat; Path=/; lives 30; HttpOnly; Secure; SameSite=Lax',
    );
    const signOut = await browser.request('/auth/sign-out', { method: 'POST' });
    expect(signOut.headers.getSetCookie().join()).to.match(/^__Host-advisory-chat=; Path=\/; Expires=Thu, 01 Jan 1970/);
    expect(browser.cookies()).to.deep.equal([]);
  });

  it('get a new id at sign-in, and the old id becomes invalid', async () => {
    const app = await start();
    const browser = createBrowser(app.url);
    await browser.signInWith('google', email);
    const before = browser.cookies();
    await browser.signInWith('google', email);
    expect(browser.cookies()).not.to.deep.equal(before);
    for (const [cookies, status] of [
      [before, 401],
      [browser.cookies(), 200],
    ] as const) {
      expect((await fetch(`${app.url}/guarded`, { headers: { Cookie: cookies.join('; ') } })).status).to.equal(status);
    }
  });

  it('are written only once at sign-in, after the previous session of the browser has been deleted', async () => {
    const store = new ObservedStore();
    const browser = createBrowser((await start({ store })).url);
    await browser.signInWith('google', email);
    expect(store.calls).to.deep.equal(['set']);
    store.calls.length = 0;
    await browser.signInWith('google', email);
    expect(store.calls).to.deep.equal(['destroy', 'set']);
  });

  it('and attempts stay valid while the secret is rotated on two instances in turn', async () => {
    const clock = stopClock();
    const github = await startScriptedGitHub();
    opened.push(github);
    const shared = { store: new session.MemoryStore(), people: createPeopleInMemory() };
    const headers = { 'X-Forwarded-Proto': 'https' };
    const startWith = (secrets: [string, ...string[]]) =>
      start({ ...shared, providers: { github: github.settings }, secure: true, secrets });
    const instances = [await startWith(['old']), await startWith(['old'])];

    async function signIn(from: string, to: string): Promise<Browser> {
      const browser = createBrowser(from, headers);
      const state = new URL(await browser.addressAtProvider('github')).searchParams.get('state');
      await browser.request(`${to}/auth/github/callback?code=a-code&state=${state}`, { headers });
      return browser;
    }
    const isSignedIn = async (browser: Browser, url: string) =>
      (await browser.request(`${url}/guarded`, { headers })).status === 200;

    const first = instances[0]?.url ?? '';
    const regular = await signIn(first, first);
    // The steps of docs/security.md, "Rotate a secret".
    for (const secrets of [['old', 'new'], ['new', 'old'], ['new']] as [string, ...string[]][]) {
      for (const index of [0, 1]) {
        clock.tick(dayMilliseconds);
        instances[index] = await startWith(secrets);
        const urls = instances.map(({ url }) => url);
        for (const from of urls) {
          for (const to of urls) {
            const browser = await signIn(from, to);
            for (const url of urls) expect(await isSignedIn(browser, url), `${secrets} ${index}`).to.equal(true);
          }
        }
        for (const url of urls) expect(await isSignedIn(regular, url), `${secrets} ${index}`).to.equal(true);
      }
    }
  });

  it('end if the secret that signed their cookie is removed', async () => {
    const shared = { store: new session.MemoryStore(), people: createPeopleInMemory(), secure: true };
    const headers = { 'X-Forwarded-Proto': 'https' };
    const signedInAt = await start({ ...shared, providers: emulated.settings, secrets: ['old'] });
    const browser = createBrowser(signedInAt.url, headers);
    const { pathname, search } = new URL(await browser.approve('google', email));
    await browser.request(pathname + search);
    const { url } = await start({ ...shared, secrets: ['new'] });
    expect((await browser.request(`${url}/guarded`, { headers })).status).to.equal(401);
  });

  it('expire 30 days after their last renewal', async () => {
    const clock = stopClock();
    const browser = createBrowser((await start()).url);
    await browser.signInWith('google', email);
    clock.tick(30 * dayMilliseconds - 1);
    expect((await browser.request('/guarded')).status).to.equal(200);
    clock.tick(30 * dayMilliseconds);
    const response = await browser.request('/guarded');
    expect(response.status).to.equal(401);
    expect(response.headers.getSetCookie()).to.deep.equal([]);
  });

  it('expire 90 days after sign-in, even if they are renewed every day', async () => {
    const clock = stopClock();
    const browser = createBrowser((await start()).url);
    await browser.signInWith('google', email);
    for (let day = 1; day < 90; day += 1) {
      clock.tick(dayMilliseconds);
      const response = await browser.request('/guarded');
      expect(response.status, `day ${day}`).to.equal(200);
      const lives = Math.min(30, 90 - day);
      expect(attributesOf(response.headers.getSetCookie()[0], dayMilliseconds)).to.include(`lives ${lives}`);
    }
    clock.tick(dayMilliseconds);
    expect((await browser.request('/guarded')).status).to.equal(401);
  });

  for (const path of ['/guarded', '/auth/session']) {
    it(`are renewed once a day by ${path}, with one write`, async () => {
      const clock = stopClock();
      const store = new ObservedStore();
      const browser = createBrowser((await start({ store })).url);
      await browser.signInWith('google', email);

      const visit = async () => {
        store.calls.length = 0;
        const response = await browser.request(path);
        return { calls: store.calls, cookies: response.headers.getSetCookie() };
      };
      clock.tick(dayMilliseconds - 1);
      expect(await visit()).to.deep.equal({ calls: ['get'], cookies: [] });
      clock.tick(1);
      const { calls, cookies } = await visit();
      expect(calls).to.deep.equal(['get', 'set']);
      expect(attributesOf(cookies[0], dayMilliseconds)).to.include('lives 30');
      expect(await visit()).to.deep.equal({ calls: ['get'], cookies: [] });
    });
  }

  describe('while the store fails', () => {
    async function expectInternal(response: Response) {
      expect(response.status).to.equal(500);
      expect(await response.text()).to.equal('INTERNAL: Something went wrong on our side.');
    }

    it('return 500 and do not sign out the user', async () => {
      const store = new ObservedStore();
      const browser = createBrowser((await start({ store })).url);
      await browser.signInWith('google', email);
      store.failing = true;
      await expectInternal(await browser.request('/guarded'));
      await expectInternal(await browser.request('/auth/session'));
      await expectInternal(await browser.request('/auth/sign-out', { method: 'POST' }));
      store.failing = false;
      expect((await browser.request('/guarded')).status).to.equal(200);
    });

    it('are not read when a sign-in starts, but make its callback return 500 without a session cookie', async () => {
      const store = new ObservedStore();
      store.failing = true;
      const { url, cookieName } = await start({ store });
      const browser = createBrowser(url);
      const address = await browser.approve('google', email);
      expect(store.calls).to.deep.equal([]);
      const response = await browser.request(address);
      expect(response.headers.getSetCookie().join()).not.to.include(`${cookieName}=`);
      await expectInternal(response);
    });

    it('are not read for a client without a session cookie', async () => {
      const store = new ObservedStore();
      store.failing = true;
      const { url } = await start({ store });
      expect((await fetch(`${url}/auth/session`)).status).to.equal(200);
      expect((await fetch(`${url}/guarded`)).status).to.equal(401);
      expect((await fetch(`${url}/auth/sign-out`, { method: 'POST' })).status).to.equal(204);
      expect(store.calls).to.deep.equal([]);
    });
  });
});
