import { createServer, type IncomingMessage } from 'node:http';
import { install } from '@sinonjs/fake-timers';
import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { identify } from '../../../server/auth/sign-in.ts';
import { emulatorOptions } from '../../../server/embedded/emulated-sign-in.ts';
import { providerNames, type SignInProblem } from '../../../shared/session.ts';
import { type Browser, createBrowser, locationOf } from '../../support/browser.ts';
import { closing } from '../../support/closing.ts';
import { eventually } from '../../support/eventually.ts';
import { proxyAuthorization, startForwardProxy } from '../../support/forward-proxy.ts';
import { listen } from '../../support/loopback.ts';
import { perSuite, perTest } from '../../support/per-suite.ts';
import { type AppOptions, createTestApp, type TestApp } from '../../support/test-app.ts';
import { startScriptedGitHub } from './scripted-github.ts';

const failureIn = ({ lines }: TestApp) => lines.find(({ msg }) => msg === 'sign-in failed')?.failure;

const userOf = async (browser: Browser) => (await (await browser.request('/auth/session')).json()).user;

async function expectProblem(browser: Browser, address: string, problem: SignInProblem) {
  const response = await browser.request(address);
  expect(response.status).to.equal(302);
  expect(locationOf(response)).to.equal(`/sign-in?problem=${problem}`);
  expect(await userOf(browser)).to.equal(null);
}

function withParameter(address: string, name: string, value?: string): string {
  const url = new URL(address);
  url.searchParams.delete(name);
  if (value !== undefined) url.searchParams.set(name, value);
  return url.href;
}

describe('a sign-in callback', () => {
  let browser: Browser;

  const app = perSuite(() => createTestApp());
  beforeEach(() => {
    browser = createBrowser(app.url);
    app.lines.length = 0;
  });

  for (const provider of providerNames) {
    describe(`from ${provider}`, () => {
      const approve = () => browser.approve(provider, 'avery@example.com');

      it('rejects a missing or repeated code', async () => {
        await expectProblem(browser, withParameter(await approve(), 'code'), 'expired');
        await expectProblem(browser, `${await approve()}&code=2`, 'expired');
      });

      it('redirects with problem=unavailable if the provider rejects the code', async () => {
        await expectProblem(browser, withParameter(await approve(), 'code', 'invented'), 'unavailable');
      });

      it("redirects with problem=cancelled on the provider's error, and neither shows nor logs the description of the error", async () => {
        await browser.addressAtProvider(provider);
        const address = `/auth/${provider}/callback?error=access_denied&error_description=Planted`;
        const response = await browser.request(address);
        expect(locationOf(response)).to.equal('/sign-in?problem=cancelled');
        expect(await response.text()).not.to.include('Planted');
        expect(JSON.stringify(app.lines)).to.include('"code":"access_denied"').and.not.include('Planted');
        await expectProblem(browser, `/auth/${provider}/callback?error=a&error=b`, 'cancelled');
        await expectProblem(browser, `/auth/${provider}/callback?error=A%20sentence%20of%20a%20visitor`, 'cancelled');
        expect(JSON.stringify(app.lines)).not.to.include('visitor');
      });

      it('rejects callback parameters on the URL that starts a sign-in', async () => {
        await expectProblem(browser, `/auth/${provider}?code=1&state=2`, 'expired');
        await expectProblem(browser, `/auth/${provider}?error=server_error`, 'expired');
      });
    });
  }

  for (const [parameter, value, problem, failure] of [
    ['code', 'invented', 'unavailable', { error: 'TokenError', code: 'invalid_grant' }],
    ['code', undefined, 'expired', { error: 'MissingCode' }],
    ['state', 'invented', 'expired', { error: 'UnknownState' }],
  ] as const) {
    it(`logs once, with the request id but without code or state, that the ${parameter} is ${value}`, async () => {
      const approved = await browser.approve('google', 'avery@example.com');
      app.lines.length = 0;
      const headers = { 'X-Request-Id': 'chosen-by-the-test' };
      await browser.request(withParameter(approved, parameter, value), { headers });
      const logged = app.lines.filter(({ msg }) => msg === 'sign-in failed');
      expect(logged).to.have.length(1);
      const known = { level: 40, requestId: 'chosen-by-the-test', provider: 'google', problem, failure };
      expect(logged[0]).to.deep.include(known);
      const { searchParams } = new URL(approved);
      for (const secret of ['invented', searchParams.get('code'), searchParams.get('state')]) {
        expect(JSON.stringify(app.lines)).not.to.include(secret);
      }
    });
  }
});

const token = '/login/oauth/access_token';

async function callbackAddress(visitor: Browser): Promise<string> {
  const state = new URL(await visitor.addressAtProvider('github')).searchParams.get('state');
  return `/auth/github/callback?code=a-code-of-these-tests&state=${state}`;
}

describe('sign-in with GitHub', () => {
  const github = perSuite(() => startScriptedGitHub());
  const app = perSuite(() => createTestApp({ providers: { github: github.settings } }));
  let visitor: Browser;
  beforeEach(() => {
    github.reset();
    app.lines.length = 0;
    visitor = createBrowser(app.url);
  });

  const status = (code: number, error = 'InternalOAuthError') => ({ error, status: code });
  for (const [reason, path, answer, failure] of [
    ['the token endpoint fails', token, 503, status(503)],
    [
      'the token endpoint responds with an error',
      token,
      '{"error":"bad_verification_code","error_description":"of-these-tests"}',
      {},
    ],
    ['the token is JSON but not an object', token, 'null', status(200)],
    ['the profile endpoint responds with 401', '/user', 401, status(401)],
    ['the profile is not JSON', '/user', '<html>', {}],
    ['the profile is JSON but not an object', '/user', 'null', status(200)],
    ['the profile has no id', '/user', '{"login":"casey-example"}', {}],
  ] as const) {
    it(`redirects with problem=unavailable and logs ${JSON.stringify(failure)} if ${reason}`, async () => {
      github.answers[path] = answer;
      await expectProblem(visitor, await callbackAddress(visitor), 'unavailable');
      expect(failureIn(app)).to.deep.equal(failure);
      expect(JSON.stringify(app.lines)).not.to.include('of-these-tests');
    });
  }

  const primary = (verified: boolean) =>
    JSON.stringify([
      { email: 'old@example.com', primary: false, verified: true },
      { email: 'casey@example.com', primary: true, verified },
    ]);
  for (const [id, emails, email] of [
    [1, '[]', null],
    [2, 'null', null],
    [3, '<html>', null],
    [4, 403, null],
    [5, 404, null],
    [6, primary(false), null],
    [7, primary(true), 'casey@example.com'],
  ] as const) {
    it(`succeeds with the e-mail address ${email} if the endpoint for addresses responds with ${emails}`, async () => {
      github.answers['/user'] = JSON.stringify({ id: 100 + id, login: `casey-${id}` });
      github.answers['/user/emails'] = emails;
      expect(locationOf(await visitor.request(await callbackAddress(visitor)))).to.equal('/onboarding');
      const stored = await app.storage.rows('select email, email_verified from users where name = ?', [`casey-${id}`]);
      expect(stored).to.deep.equal([{ email, email_verified: email !== null }]);
    });
  }
});

describe('the connection to GitHub', () => {
  const github = perTest(() => startScriptedGitHub());
  let visitor: Browser;

  const start = async (options: AppOptions = {}) => {
    const app = await createTestApp({ providers: { github: github.settings }, ...options });
    visitor = createBrowser(app.url);
    return app;
  };

  it('reaches the provider through the proxy', async () => {
    const { origin } = new URL(github.settings.endpoints?.tokenURL ?? '');
    await using proxy = closing(await startForwardProxy(origin));
    const proxies = { http: proxy.url, https: proxy.url, exceptions: [] };
    const options = emulatorOptions('github', 'http://github.example.com');
    await using _app = await start({ providers: { github: { ...github.settings, ...options } }, proxies });
    await visitor.request(await callbackAddress(visitor));
    expect(await userOf(visitor)).not.to.equal(null);
    const requestOf = (method: string, path: string) => {
      return { method, target: `http://github.example.com${path}`, authorization: proxyAuthorization };
    };
    const expected = [requestOf('POST', token), requestOf('GET', '/user'), requestOf('GET', '/user/emails')];
    expect(proxy.requests).to.deep.equal(expected);
  });

  it('opens a tunnel to an https:// address of the provider', async () => {
    const { userEmailURL, ...endpoints } = github.settings.endpoints ?? {};
    await using proxy = closing(await startForwardProxy(new URL(userEmailURL ?? '').origin));
    const proxies = { http: undefined, https: proxy.url, exceptions: [] };
    await using _app = await start({ providers: { github: { ...github.settings, endpoints } }, proxies });
    // The scripted provider does not speak TLS.
    await visitor.request(await callbackAddress(visitor));
    expect(await userOf(visitor)).to.include({ email: null });
    expect(proxy.requests).to.deep.equal([
      { method: 'CONNECT', target: 'api.github.com:443', authorization: proxyAuthorization },
    ]);
  });

  for (const [path, answer] of [
    [token, 'silence'],
    [token, 'stall'],
    ['/user', 'silence'],
  ] as const) {
    it(`redirects with problem=unavailable and closes the connection if the response of ${path} is a ${answer}`, async () => {
      github.answers[path] = answer;
      await using _app = await start({ signInTimeoutMilliseconds: 200 });
      await expectProblem(visitor, await callbackAddress(visitor), 'unavailable');
      await eventually(async () => (await github.connections()) === 0 || undefined);
    });
  }

  it('redirects with problem=unavailable if all responses of the provider together take too long', async () => {
    github.answers[token] = 'silence';
    // The time limit of a single request, which uses another timer, does not pass.
    await using app = await start({ signInTimeoutMilliseconds: 600_000 });
    const address = await callbackAddress(visitor);
    const clock = install({ toFake: ['setTimeout', 'clearTimeout'], shouldClearNativeTimers: true });
    await using _clock = closing({ close: () => clock.uninstall() });
    const callback = visitor.request(address);
    await eventually(async () => ((await github.connections()) === 1 ? true : undefined));
    clock.tick(600_000);
    expect(locationOf(await callback)).to.equal('/sign-in?problem=unavailable');
    expect(failureIn(app)).to.deep.equal({ error: 'TimeoutError' });
    await github.close();
  });

  it('redirects with problem=unavailable if the connection is refused', async () => {
    await using app = await start();
    await github.close();
    await expectProblem(visitor, await callbackAddress(visitor), 'unavailable');
    expect(failureIn(app)).to.deep.equal({ error: 'InternalOAuthError', code: 'ECONNREFUSED' });
  });
});

describe('sign-in requests', () => {
  for (const name of providerNames) {
    it(`to ${name} carry the access token in a header, never in a URL that could be logged, and an address without a mark is unverified`, async () => {
      const requests: IncomingMessage[] = [];
      const { port, close } = await listen(
        createServer((request, response) => {
          requests.push(request);
          const [id, email] = [name === 'github' ? 7 : '7', 'avery@example.com'];
          const profile = { id, sub: id, email, mail: email };
          response.end(JSON.stringify({ access_token: 'a-token-of-these-tests', ...profile }));
        }),
      );
      await using _provider = closing({ close });
      const endpoints = emulatorOptions(name, `http://127.0.0.1:${port}`);
      await using app = await createTestApp({
        providers: { [name]: { clientId: 'id', clientSecret: 'secret', ...endpoints } },
      });
      const browser = createBrowser(app.url);
      const state = new URL(await browser.addressAtProvider(name)).searchParams.get('state');
      await browser.request(`/auth/${name}/callback?code=1&state=${state}`);
      const [, ...others] = requests;
      expect(others).not.to.have.length(0);
      for (const { url, headers } of others) {
        expect(url).not.to.include('a-token-of-these-tests');
        expect(headers.authorization).to.equal('Bearer a-token-of-these-tests');
      }
      expect(await app.storage.rows('select email, email_verified from users')).to.deep.equal([
        { email: 'avery@example.com', email_verified: false },
      ]);
    });
  }
});

const profile = { id: 'subject-1', displayName: 'Avery Example', emails: [{ value: 'avery@example.com' }] };
const avery = { name: 'Avery Example', email: 'avery@example.com', emailVerified: false };
const real = { idField: 'subject', trustsEmail: false } as const;
const emulated = { idField: 'email', trustsEmail: false } as const;

describe('identify', () => {
  it('identifies an account by the subject', () => {
    expect(identify('google', profile, real)).to.deep.equal({ provider: 'google', subject: 'subject-1', ...avery });
    expect(identify('google', profile, emulated), 'an emulator').to.include({ subject: 'avery@example.com' });
  });

  it('prefers the name that the user displays to the name of the account', () => {
    const account = { ...profile, username: 'avery-example' };
    expect(identify('github', account, real).name).to.equal('Avery Example');
    expect(identify('github', { ...account, displayName: null }, real).name).to.equal('avery-example');
  });

  it('requires neither a name nor an e-mail address', () => {
    const noProfile = { provider: 'microsoft', subject: '1', name: null, email: null, emailVerified: false };
    expect(identify('microsoft', { id: '1' }, emulated)).to.deep.equal(noProfile);
    expect(identify('microsoft', { id: '1', displayName: null, emails: [] }, real)).to.deep.equal(noProfile);
    expect(identify('microsoft', { id: '1', displayName: ' \u200b', emails: [{ value: 7 }] }, real)).to.deep.equal(
      noProfile,
    );
  });

  it('returns the address as verified if the profile says so or the provider is trusted', () => {
    const verified = (value: unknown) => ({ ...profile, emails: [{ value: 'avery@example.com', verified: value }] });
    expect(identify('google', verified(true), real).emailVerified).to.equal(true);
    for (const word of [false, 'true', 1, undefined]) {
      expect(identify('google', verified(word), real).emailVerified).to.equal(false);
    }
    expect(identify('microsoft', profile, { ...real, trustsEmail: true }).emailVerified).to.equal(true);
    expect(identify('microsoft', { id: '1' }, { ...real, trustsEmail: true }).emailVerified).to.equal(false);
  });

  it('returns an invalid address as unverified', () => {
    for (const value of [
      'example.com',
      '@example.com',
      'avery@',
      'avery@evil.test@example.com',
      'a very@example.com',
      '"avery@evil.test"@example.com',
      'avery@evil.test, blake@example.com',
      'avery@evil.test\r\nblake@example.com',
      'avery\u0000@example.com',
    ]) {
      const { email, emailVerified } = identify('google', { ...profile, emails: [{ value, verified: true }] }, real);
      expect({ email, emailVerified }, value).to.deep.equal({ email: value, emailVerified: false });
    }
  });

  it('trims the address', () => {
    const padded = { ...profile, emails: [{ value: ' avery@example.com\n', verified: true }] };
    expect(identify('google', padded, real)).to.include({ email: 'avery@example.com', emailVerified: true });
  });

  it('truncates a long name and omits an address that is too long', () => {
    const ofLength = (length: number) => ({
      id: '1',
      displayName: '\u{1F600}'.repeat(7_000),
      emails: [{ value: '@example.com'.padStart(length, 'a') }],
    });
    expect(identify('google', ofLength(255), real)).to.include({ name: '\u{1F600}'.repeat(200), email: null });
    expect(identify('google', ofLength(254), real).email).to.have.length(254);
  });

  it('throws if the profile has no subject', () => {
    for (const id of [undefined, null, '', 'x'.repeat(256)])
      expect(() => identify('google', { ...profile, id }, real)).to.throw();
  });
});
