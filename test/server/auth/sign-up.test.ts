import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { createBrowser, locationOf } from '../../support/browser.ts';
import { createTestApp, type TestApp } from '../../support/test-app.ts';

const avery = 'avery@example.com';

/** Tables in which somebody would leave a trace of themselves. */
const tables = [
  'organizations',
  'users',
  'memberships',
  'identities',
  'sessions',
  'conversations',
  'engagement_states',
];

describe('signing up', () => {
  let app: TestApp;

  const begin = async (options: Parameters<typeof createTestApp>[0]) => {
    app = await createTestApp(options);
  };
  afterEach(() => app.close());

  /** Where somebody lands who signs in, with an invitation if they hold one. */
  async function landing(invitation?: string, who = avery, provider: 'google' | 'github' | 'microsoft' = 'google') {
    const browser = createBrowser(app.url);
    const response = await browser.signInWith(provider, who, invitation === undefined ? {} : { invitation });
    return { browser, location: locationOf(response) };
  }
  const rowsOf = async (table: string) => (await app.storage.rows(`select * from ${table}`)).length;
  const invite = (options: { organization?: string; days?: number } = {}) =>
    app.storage.administration.invite({ days: 14, ...options });

  describe('by invitation only', () => {
    beforeEach(() => begin({ signUp: { mode: 'invited', domains: [] } }));

    it('leaves no row of somebody who is not invited, who is told what to do', async () => {
      const { browser, location } = await landing();
      expect(location).to.equal('/sign-in?problem=uninvited');
      for (const table of tables) expect(await rowsOf(table), table).to.equal(0);
      expect(browser.cookies()).to.deep.equal([]);
      expect(await app.storage.rows('select action, actor, subject, details from audit_events')).to.deep.equal([
        { action: 'sign-in-refused', actor: null, subject: null, details: { provider: 'google', reason: 'uninvited' } },
      ]);
    });

    it('lets in who holds an invitation, once', async () => {
      const { token } = await invite();
      expect((await landing(token)).location).to.equal('/onboarding');
      expect((await landing(token, 'blake@example.com')).location).to.equal('/sign-in?problem=invitation');
      expect(await rowsOf('users')).to.equal(1);
      expect((await landing(token)).location, 'the same person, later').to.equal('/onboarding');
    });

    it('lets one of many in who come with one invitation at once', async () => {
      const { token } = await invite();
      const arrivals = [
        landing(token, avery, 'google'),
        landing(token, 'blake@example.com', 'google'),
        landing(token, avery, 'microsoft'),
        landing(token, 'casey-example', 'github'),
      ];
      const locations = (await Promise.all(arrivals)).map(({ location }) => location);
      expect(locations.filter((location) => location === '/onboarding')).to.have.length(1);
      expect(await rowsOf('users')).to.equal(1);
    });

    it('refuses an invitation that is unknown, expired or revoked', async () => {
      const expired = await invite();
      await app.storage.rows("update invitations set expires_at = now() - interval '1 second'");
      const revoked = await invite();
      await app.storage.administration.revokeInvitation(revoked.id);
      for (const token of [expired.token, revoked.token, 'x', '', "' or true --", 'x'.repeat(5_000)]) {
        const { location } = await landing(token);
        expect(location, token).to.equal(`/sign-in?problem=${token === '' ? 'uninvited' : 'invitation'}`);
      }
      expect(await rowsOf('users')).to.equal(0);
    });

    it('stores of an invitation a hash of its token, never the token', async () => {
      const { token } = await invite();
      expect(token).to.have.length.at.least(43);
      expect(JSON.stringify(await app.storage.rows('select * from invitations'))).not.to.include(token);
      expect(JSON.stringify(app.lines)).not.to.include(token);
    });
  });

  describe('from the domains that are named', () => {
    it('lets in whose address the provider has verified, and nobody who only claims one', async () => {
      await begin({ signUp: { mode: 'invited', domains: ['example.com'] } });
      expect((await landing()).location).to.equal('/onboarding');
      // Microsoft never says that an address is verified.
      expect((await landing(undefined, avery, 'microsoft')).location).to.equal('/sign-in?problem=uninvited');
      // An account without an address.
      expect((await landing(undefined, 'casey-example', 'github')).location).to.equal('/sign-in?problem=uninvited');
    });

    it('believes Microsoft where one directory is named', async () => {
      await begin({ signUp: { mode: 'invited', domains: ['example.com'] }, microsoftTenant: 'example.com' });
      expect((await landing(undefined, avery, 'microsoft')).location).to.equal('/onboarding');
    });

    it('takes no other domain, however alike', async () => {
      await begin({ signUp: { mode: 'invited', domains: ['ample.com', 'example.com.org', 'example'] } });
      expect((await landing()).location).to.equal('/sign-in?problem=uninvited');
    });
  });

  it('is open to anybody where it is, with an organization of their own', async () => {
    await begin({ signUp: { mode: 'open', domains: [] } });
    expect((await landing()).location).to.equal('/onboarding');
    expect((await landing('used by somebody else', 'blake@example.com')).location).to.equal(
      '/sign-in?problem=invitation',
    );
  });

  it('keeps an account out that was deleted and blocked, whoever invites it, until it is unblocked', async () => {
    await begin({});
    const { browser } = await landing();
    const { user } = await (await browser.request('/auth/session')).json();
    await app.storage.administration.deleteUser(user.id, { block: true });
    expect((await landing()).location).to.equal('/sign-in?problem=suspended');
    expect((await landing((await invite()).token)).location).to.equal('/sign-in?problem=suspended');
    expect((await landing(undefined, avery, 'microsoft')).location, 'another account').to.equal('/onboarding');
    await app.storage.administration.unblockAccount('google', avery);
    expect((await landing()).location).to.equal('/onboarding');
  });

  it('shows the operator an impostor: the account, and that nobody has verified the address', async () => {
    await begin({});
    await landing(undefined, avery, 'google');
    await landing(undefined, avery, 'microsoft');
    const users = (await app.storage.administration.listUsers()).rows;
    expect(
      users.map(({ email, provider, subject, emailVerified }) => ({ email, provider, subject, emailVerified })),
    ).to.deep.equal([
      { email: avery, provider: 'google', subject: avery, emailVerified: true },
      { email: avery, provider: 'microsoft', subject: avery, emailVerified: false },
    ]);
  });
});
