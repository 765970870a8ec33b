import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { ProviderName } from '../../../shared/session.ts';
import { createBrowser, locationOf } from '../../support/browser.ts';
import { createTestApp, type TestApp } from '../../support/test-app.ts';

const avery = 'avery@example.com';

/** The tables that have rows of a person. */
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

  /** Signs a person in, and returns the address that they are sent to. */
  async function landing(invitation?: string, who = avery, provider: ProviderName = 'google') {
    const browser = createBrowser(app.url);
    const response = await browser.signInWith(provider, who, invitation === undefined ? {} : { invitation });
    return { browser, location: locationOf(response) };
  }
  const rowsOf = async (table: string) => (await app.storage.rows(`select * from ${table}`)).length;
  const invite = (options: { organization?: string; days?: number } = {}) =>
    app.storage.administration.invite({ days: 14, ...options });

  describe('by invitation only', () => {
    beforeEach(() => begin({ signUp: { mode: 'invited', domains: [] } }));

    it('stores nothing of a person without an invitation except the refusal, and names the problem', async () => {
      const { browser, location } = await landing();
      expect(location).to.equal('/sign-in?problem=uninvited');
      for (const table of tables) expect(await rowsOf(table), table).to.equal(0);
      expect(browser.cookies()).to.deep.equal([]);
      expect(await app.storage.rows('select action, actor, subject, details from audit_events')).to.deep.equal([
        { action: 'sign-in-refused', actor: null, subject: null, details: { provider: 'google', reason: 'uninvited' } },
      ]);
    });

    it('lets one person in for each invitation', async () => {
      const { token } = await invite();
      expect((await landing(token)).location).to.equal('/onboarding');
      expect((await landing(token, 'blake@example.com')).location).to.equal('/sign-in?problem=invitation');
      expect(await rowsOf('users')).to.equal(1);
      expect((await landing(token)).location, 'the same person, later').to.equal('/onboarding');
    });

    it('lets one person in of several who use an invitation at the same time', async () => {
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

    it('stores only a hash of the token of an invitation', async () => {
      const { token } = await invite();
      expect(token).to.have.length.at.least(43);
      expect(JSON.stringify(await app.storage.rows('select * from invitations'))).not.to.include(token);
      expect(JSON.stringify(app.lines)).not.to.include(token);
    });
  });

  for (const [what, options, location] of [
    ['a verified address', {}, '/onboarding'],
    // Microsoft never says that an address is verified.
    ['an address that is not verified', { provider: 'microsoft' }, '/sign-in?problem=uninvited'],
    ['no address', { provider: 'github', who: 'casey-example' }, '/sign-in?problem=uninvited'],
    ['an address of the one Microsoft directory', { provider: 'microsoft', tenant: 'example.com' }, '/onboarding'],
  ] as const) {
    it(`with ${what} of a listed domain leads to ${location}`, async () => {
      const {
        provider = 'google',
        who = avery,
        tenant,
      }: { provider?: ProviderName; who?: string; tenant?: string } = options;
      await begin({ signUp: { mode: 'invited', domains: ['example.com'] }, microsoftTenant: tenant });
      expect((await landing(undefined, who, provider)).location).to.equal(location);
    });
  }

  it('is possible without an invitation if it is open, but not with an invalid one', async () => {
    await begin({ signUp: { mode: 'open', domains: [] } });
    expect((await landing()).location).to.equal('/onboarding');
    expect((await landing('used by somebody else', 'blake@example.com')).location).to.equal(
      '/sign-in?problem=invitation',
    );
  });

  it('refuses an account that was deleted and blocked, even with an invitation, until it is unblocked', async () => {
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

  it('shows the operator the account of each user and whether the address is verified', async () => {
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
