import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { loadConfig } from '../../server/config/config.ts';
import { formatError } from '../../shared/errors.ts';
import { routes } from '../../shared/interface.ts';
import { providerNames, signInProblems } from '../../shared/session.ts';
import { createBrowser, locationOf } from '../support/browser.ts';
import { code, readDocument, readText } from '../support/document.ts';
import { createTestApp, post, type TestApp } from '../support/test-app.ts';

const page = readDocument('docs/interface/sign-in.md');
const shared = (app: TestApp) => ({ shared: { storage: app.storage } });

describe('docs/interface/sign-in.md', () => {
  let app: TestApp;
  let avery: Awaited<ReturnType<TestApp['person']>>;

  before(async () => {
    app = await createTestApp();
    avery = await app.person();
  });
  after(() => app.close());

  const person = (who: string, at = app) => at.person({ who, onboarded: false });
  const session = async (browser: ReturnType<typeof createBrowser>) => browser.request(routes.session);
  const send = (path: string, headers: Record<string, string> = {}, body?: unknown) =>
    body === undefined ? fetch(app.url + path, { method: 'POST', headers }) : post(app.url + path, body, headers);
  const textsUnder = (heading: string, language: string) =>
    [...page.sectionUnder(heading).matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(
      ([, text = '']) => JSON.parse(text),
    );

  it('lists the routes that there are for it, and with the guide every one', () => {
    const listed = page.tableUnder('## The routes').map(([route]) => route);
    expect(listed).to.deep.equal([
      code(`GET ${routes.signIn}/{provider}`),
      code(`GET ${routes.signIn}/{provider}/callback`),
      code(`GET ${routes.session}`),
      code(`POST ${routes.signOut}`),
      code(`POST ${routes.signOutEverywhere}`),
      code(`POST ${routes.join}`),
      code(`POST ${routes.onboarding}`),
    ]);
    const guide = page.text + readText('docs/interface.md');
    for (const path of Object.values(routes)) expect(guide).to.include(path);
  });

  it('names the providers', () => {
    const [, said = ''] = /^`\{provider\}` is ([^.]*)\./m.exec(page.text) ?? [];
    expect([...said.matchAll(/`(\w+)`/g)].map(([, name]) => name)).to.deep.equal([...providerNames]);
  });

  it('lists the problems with our sentences', () => {
    const rows = Object.entries(signInProblems).map(([problem, sentence]) => [code(problem), sentence]);
    // The first table of the section is that of the parameters, the second that of where one comes back to.
    expect(page.tableUnder('## Signing in').slice(-rows.length)).to.deep.equal(rows);
  });

  describe('a sign-in', () => {
    for (const provider of providerNames) {
      it(`with ${provider} begins with a redirect and the cookie of the attempt, which lasts two hours`, async () => {
        const response = await createBrowser(app.url).request(`${routes.signIn}/${provider}`);
        expect(response.status).to.equal(302);
        const [cookie = ''] = response.headers.getSetCookie();
        expect(cookie).to.match(new RegExp(`^advisory-chat-sign-in-${provider}=`));
        const [, expires = ''] = /Expires=([^;]*)/.exec(cookie) ?? [];
        expect(Date.parse(expires) - Date.now()).to.be.within(7_100_000, 7_200_000);
      });
    }

    it('is 404 with a provider that there is not', async () => {
      for (const path of ['/auth/other', '/auth/other/callback']) {
        expect((await createBrowser(app.url).request(path)).status, path).to.equal(404);
      }
    });

    it('comes back with the session cookie, as described', async () => {
      const back = await createBrowser(app.url).signInWith('google', 'avery@example.com');
      const [cookie] = back.headers.getSetCookie().filter((each) => each.startsWith('advisory-chat='));
      expect(cookie).to.match(/; Path=\/; Expires=[^;]*; HttpOnly; SameSite=Lax$/);
    });

    it('comes back to where the person was going, to the chat, or to onboarding', async () => {
      const from = (going: object, who = 'avery@example.com') =>
        createBrowser(app.url).signInWith('google', who, going).then(locationOf);
      expect(await from({ returnTo: '/chat?draft=1' })).to.equal('/chat?draft=1');
      expect(await from({ returnTo: 'https://elsewhere.example.com/' })).to.equal('/chat');
      expect(await from({})).to.equal('/chat');
      expect(await from({ returnTo: '/chat?draft=1' }, 'blake@example.com')).to.equal('/onboarding');
    });

    it('comes back to the sign-in page with a problem, and one attempt has one answer', async () => {
      const browser = createBrowser(app.url);
      await browser.request('/auth/google');
      expect(locationOf(await browser.request('/auth/google/callback?error=access_denied'))).to.equal(
        '/sign-in?problem=cancelled',
      );
      const address = await browser.approve('google', 'avery@example.com');
      await browser.request(address);
      expect(locationOf(await browser.request(address))).to.equal('/sign-in?problem=expired');
    });

    it('takes an invitation once, where one is needed', async () => {
      await using invited = await createTestApp({ ...shared(app), signUp: { mode: 'invited', domains: [] } });
      const { token } = await app.storage.administration.invite({ days: 14 });
      const come = (who: string, going: object) =>
        createBrowser(invited.url).signInWith('microsoft', who, going).then(locationOf);
      expect(await come('drew@example.com', {})).to.equal('/sign-in?problem=uninvited');
      expect(await come('drew@example.com', { invitation: token })).to.equal('/onboarding');
      expect(await come('avery@example.com', { invitation: token })).to.equal('/sign-in?problem=invitation');
    });

    it('is limited by address, as is the form', async () => {
      const { signInStart, signInCallback, joining, onboarding } = loadConfig({}).limits;
      for (const limit of [signInStart, signInCallback, joining, onboarding]) {
        expect(limit).to.deep.equal({ requests: 300, windowSeconds: 600 });
      }
      expect(page.sectionUnder('## The routes').replace(/\s+/g, ' ')).to.include('300 of each in ten minutes');

      const limits = { signInStart: 0, signInCallback: 0, joining: 0, onboarding: 0 };
      await using limited = await createTestApp({ ...shared(app), limits });
      const refused = await createBrowser(limited.url).request('/auth/google');
      expect(refused.status).to.equal(429);
      const sentence = (await refused.text()).replace(/\d+/, '42');
      expect(page.text).to.include(code(sentence));
      expect((await createBrowser(limited.url).request('/auth/google/callback')).status).to.equal(429);
      expect((await post(limited.url + routes.join, {})).status).to.equal(429);
      const form = await post(limited.url + routes.onboarding, {});
      expect([form.status, form.headers.has('retry-after')]).to.deep.equal([429, true]);
    });
  });

  describe('the state of the session', () => {
    it('has the shape of the example, and is not to be stored', async () => {
      const [example] = textsUnder('## Who is signed in', 'json');
      const response = await session(avery.browser);
      expect([response.status, response.headers.get('cache-control')]).to.deep.equal([200, 'no-store']);
      const { user, providers } = await response.json();
      const { id, organization, ...facts } = example.user;
      expect({
        user: { ...user, id, organization: { ...user.organization, id: organization.id } },
        providers,
      }).to.deep.equal({ user: { ...facts, id, organization }, providers: example.providers });
    });

    it('has null for whoever is not signed in', async () => {
      expect((await (await session(createBrowser(app.url))).json()).user).to.equal(null);
    });
  });

  describe('signing out', () => {
    it('is 204 and clears the cookie, without a session too; everywhere, 401 without one', async () => {
      for (const path of [routes.signOut, routes.signOutEverywhere]) {
        const { browser } = await app.person();
        const response = await browser.request(path, { method: 'POST' });
        expect(response.status, path).to.equal(204);
        expect(response.headers.getSetCookie()[0], path).to.match(/^advisory-chat=;/);
        expect((await (await session(browser)).json()).user, path).to.equal(null);
      }
      avery = await app.person();
      expect((await send(routes.signOut)).status).to.equal(204);
      expect((await send(routes.signOutEverywhere)).status).to.equal(401);
    });
  });

  it('refuses what another site’s page posts', async () => {
    for (const path of [routes.signOut, routes.signOutEverywhere, routes.join, routes.onboarding]) {
      const response = await send(path, { Cookie: avery.cookie, Origin: 'https://elsewhere.example.com' });
      expect(response.status, path).to.equal(403);
    }
  });

  it('asks and answers as the examples of an invitation', async () => {
    await using own = await createTestApp();
    const { cookie, user } = await own.person();
    const { user: host } = await own.person({ provider: 'google', who: 'blake@example.com', onboarded: false });
    const { token: invitation } = await own.storage.administration.invite({
      days: 14,
      organization: host.organization.id,
    });
    const send = (body: object) => post(own.url + routes.join, body, { Cookie: cookie });
    const [question, named] = textsUnder('## Invitations', 'json');
    const answer = await (await send({ invitation })).json();
    expect(answer).to.deep.equal({
      from: user.organization,
      to: { id: host.organization.id, name: host.organization.name },
    });
    expect(Object.keys(question)).to.deep.equal(Object.keys(answer));
    expect(Object.keys(named)).to.deep.equal(['invitation', 'from', 'to']);
    expect([named.from, named.to]).to.deep.equal([question.from.id, question.to.id]);
    const body = { ...named, invitation, from: answer.from.id, to: answer.to.id };
    expect((await send(body)).status).to.equal(204);
    const again = await send(body);
    expect([again.status, code((await again.text()).trim())]).to.deep.equal([
      409,
      code('The invitation or your organization is not what it was.'),
    ]);
  });

  describe('onboarding', () => {
    const rows = page.tableUnder('## Onboarding').filter(([, required]) => required === 'yes' || required === 'no');
    const fields = rows.map(([name = '', required, most = '']) => {
      const [, texts, characters = ''] = /^(?:(\d+) texts of )?(\d+) characters$/.exec(most) ?? [];
      return {
        path: name.replaceAll('`', ''),
        required: required === 'yes',
        texts: texts === undefined ? undefined : Number(texts),
        characters: Number(characters),
      };
    });

    /** A form in which each text is as long as is allowed, and `more` than that. */
    function form(more: { characters: number; texts: number }) {
      const filled: Record<string, Record<string, unknown>> = {};
      for (const { path, texts, characters } of fields) {
        const [group = '', name = ''] = path.split('.');
        const text = 'x'.repeat(characters + more.characters);
        filled[group] = { ...filled[group], [name]: texts === undefined ? text : Array(texts + more.texts).fill(text) };
      }
      return filled;
    }

    it('asks for the fields that are required', async () => {
      const { cookie } = await person('blake@example.com');
      const response = await send(routes.onboarding, { Cookie: cookie }, { company: {}, profile: {} });
      expect(Object.keys(await response.json())).to.have.members(
        fields.filter(({ required }) => required).map(({ path }) => path),
      );
    });

    it('takes texts up to their most characters, and other fields too', async () => {
      const { cookie } = await person('blake@example.com');
      const headers = { Cookie: cookie };
      const long = await send(routes.onboarding, headers, form({ characters: 1, texts: 0 }));
      const paths = Object.keys(await long.json()).map((path) => path.replace(/\.\d+$/, ''));
      expect([...new Set(paths)]).to.have.members(fields.map(({ path }) => path));
      const many = await send(routes.onboarding, headers, form({ characters: 0, texts: 1 }));
      expect(Object.keys(await many.json())).to.have.members(
        fields.filter(({ texts }) => texts !== undefined).map(({ path }) => path),
      );
      const most = { ...form({ characters: 0, texts: 0 }), other: 'dropped' };
      expect((await send(routes.onboarding, headers, most)).status).to.equal(204);
    });

    it('answers the examples as the page has it', async () => {
      const { cookie } = await app.person({ provider: 'github', who: 'avery@example.com', onboarded: false });
      const headers = { Cookie: cookie };
      const [whole, complaints] = textsUnder('## Onboarding', 'json');
      const [, faulty = ''] = /To `([^`]*)`/.exec(page.sectionUnder('## Onboarding')) ?? [];

      const refused = await send(routes.onboarding, headers, JSON.parse(faulty));
      expect([refused.status, await refused.json()]).to.deep.equal([422, complaints]);
      expect(page.text).to.include(refused.headers.get('content-type'));

      expect((await send(routes.onboarding, headers, whole)).status).to.equal(204);
      const again = await send(routes.onboarding, headers, whole);
      expect(again.status).to.equal(409);
      expect(page.sectionUnder('## Onboarding')).to.include(code((await again.text()).trim()));
    });

    it('refuses who is not signed in, and what is no JSON', async () => {
      expect((await send(routes.onboarding, {}, {})).status).to.equal(401);
      const { cookie } = await person('blake@example.com');
      const response = await send(routes.onboarding, { Cookie: cookie }, '{');
      expect([response.status, await response.text()]).to.deep.equal([400, formatError('INVALID_JSON')]);
    });

    it('is no part of /api', async () => {
      expect((await send('/api/onboarding', { Cookie: avery.cookie }, {})).status).to.equal(404);
    });
  });
});
