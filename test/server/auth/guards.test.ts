import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { startEmulatedSignIn } from '../../../server/embedded/emulated-sign-in.ts';
import { createBrowser } from '../../support/browser.ts';
import { closing } from '../../support/closing.ts';
import { createPeopleInMemory, startAuthApp } from './auth-app.ts';

describe('the guards of a signed-in route', () => {
  const people = createPeopleInMemory();
  let emulated: Awaited<ReturnType<typeof startEmulatedSignIn>>;
  let app: Awaited<ReturnType<typeof startAuthApp>>;

  before(async () => {
    emulated = await startEmulatedSignIn(['google']);
    app = await startAuthApp({ providers: emulated.settings, people });
  });

  after(async () => {
    await app.close();
    await emulated.close();
  });

  async function signedIn() {
    const browser = createBrowser(app.url);
    await browser.signInWith('google', 'avery@example.com');
    const [cookie = ''] = browser.cookies();
    return { browser, cookie };
  }

  async function expectUnauthenticated(headers: Record<string, string>) {
    const response = await fetch(`${app.url}/guarded`, { headers });
    expect(response.status).to.equal(401);
    expect(response.headers.get('Content-Type')).to.equal('text/plain; charset=utf-8');
    expect(response.headers.getSetCookie()).to.deep.equal([]);
    expect(await response.text()).to.equal('UNAUTHENTICATED: Sign in to continue.');
  }

  it('refuse a request without a cookie', () => expectUnauthenticated({}));

  it('refuse bearer tokens and API keys', () => expectUnauthenticated({ Authorization: 'Bearer x', 'X-Api-Key': 'x' }));

  it('refuse a cookie that was tampered with', async () => {
    const { cookie } = await signedIn();
    await expectUnauthenticated({ Cookie: `${cookie.slice(0, -1)}${cookie.endsWith('A') ? 'B' : 'A'}` });
    await expectUnauthenticated({ Cookie: cookie.replace('s%3A', 's%3Ax') });
    await expectUnauthenticated({ Cookie: 'advisory-chat=unsigned' });
  });

  it('refuse a session that the store does not know', async () => {
    const { cookie } = await signedIn();
    await using forgetful = closing(await startAuthApp());
    const response = await fetch(`${forgetful.url}/guarded`, { headers: { Cookie: cookie } });
    expect(response.status).to.equal(401);
    expect(response.headers.getSetCookie()).to.deep.equal([]);
  });

  it('refuse a deleted person, whom the session endpoint no longer names', async () => {
    const { browser, cookie } = await signedIn();
    const id = await (await browser.request('/guarded')).text();
    const person = people.all.get(id);
    people.all.delete(id);
    await expectUnauthenticated({ Cookie: cookie });
    const session = await browser.request('/auth/session');
    expect(session.headers.getSetCookie()).to.deep.equal([]);
    expect(await session.json()).to.include({ user: null });
    if (person) people.all.set(id, person);
  });

  it('follow onboarding as it stands at each request', async () => {
    const { browser } = await signedIn();
    const id = await (await browser.request('/guarded')).text();
    const person = people.all.get(id);
    if (person === undefined) throw new Error('The person should be known.');

    people.all.set(id, { ...person, onboarded: false });
    const refused = await browser.request('/guarded');
    expect(refused.status).to.equal(403);
    expect(await refused.text()).to.equal('NOT_ONBOARDED: Complete onboarding to continue.');

    people.all.set(id, { ...person, onboarded: true });
    expect((await browser.request('/guarded')).status).to.equal(200);
  });
});
