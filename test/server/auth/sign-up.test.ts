import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { ProviderName } from '../../../shared/session.ts';
import { createBrowser, locationOf } from '../../support/browser.ts';
import { createTestApp, type TestApp } from '../../support/test-app.ts';

const avery = 'avery@example.com';

const tables = [
  'organizations',
  'users',
  'memberships',
  'identities',
  'sessions',
  'conversations',
  'engagement_states',
];

describe('sign-up', () => {
  let app: TestApp;

  const start = async (options: Parameters<typeof createTestApp>[0]) => {
    app = await createTestApp(options);
  };
  afterEach(() => app.close());

  /** Signs in, and returns the path that the callback redirects to. */
  async function signIn(invitation?: string, who = avery, provider: ProviderName = 'google') {
    const browser = createBrowser(app.url);
    const response = await browser.signInWith(provider, who, invitation === undefined ? {} : { invitation });
    return { browser, location: locationOf(response) };
  }
  const rowsOf = async (table: string) => (await app.storage.rows(`select * from ${table}`)).length;
  const invite = (options: { organization?: string; days?: number } = {}) =>
    app.storage.administration.invite({ days: 14, ...options });

  describe('by invitation only', () => {
    beforeEach(() => start({ signUp: { mode: 'invited', domains: [] } }));

    it('stores and logs only an audit event for a visitor without an invitation, and redirects with problem=uninvited', async () => {
      const { browser, location } = await signIn();
      expect(location).to.equal('/sign-in?problem=uninvited');
      for (const table of tables) expect(await rowsOf(table), table).to.equal(0);
      expect(browser.cookies()).to.deep.equal([]);
      expect(await app.storage.rows('select action, actor, subject, details from audit_events')).to.deep.equal([
        { action: 'sign-in-refused', actor: null, subject: null, details: { provider: 'google', reason: 'uninvited' } },
      ]);
      const logged = { action: 'sign-in-refused', userId: null, provider: 'google', reason: 'uninvited' };
      expect(app.lines.find(({ audit }) => audit === true))
        .to.include(logged)
        .and.to.have.property('requestId');
    });

    it('accepts each invitation from one user only', async () => {
      const { token } = await invite();
      expect((await signIn(token)).location).to.equal('/onboarding');
      expect((await signIn(token, 'blake@example.com')).location).to.equal('/sign-in?problem=invitation');
      expect(await rowsOf('users')).to.equal(1);
      expect((await signIn(token)).location, 'the same user, later').to.equal('/onboarding');
    });

    it('rejects an invitation that is unknown, expired or revoked', async () => {
      const expired = await invite();
      await app.storage.rows("update invitations set expires_at = now() - interval '1 second'");
      const revoked = await invite();
      await app.storage.administration.revokeInvitation(revoked.id);
      for (const token of [expired.token, revoked.token, 'x', '', "' or true --", 'x'.repeat(5_000)]) {
        const { location } = await signIn(token);
        expect(location, token).to.equal(`/sign-in?problem=${token === '' ? 'uninvited' : 'invitation'}`);
      }
      expect(await rowsOf('users')).to.equal(0);
    });

    it('stores only a hash of the invitation token', async () => {
      const { token } = await invite();
      expect(token).to.have.length.at.least(43);
      expect(JSON.stringify(await app.storage.rows('select * from invitations'))).not.to.include(token);
      expect(JSON.stringify(app.lines)).not.to.include(token);
    });
  });

  for (const [address, options, location] of [
    ['a verified address', {}, '/onboarding'],
    // Microsoft does not mark addresses as verified.
    ['an unverified address', { provider: 'microsoft' }, '/sign-in?problem=uninvited'],
    ['no address', { provider: 'github', who: 'casey-example' }, '/sign-in?problem=uninvited'],
    [
      'an address of the configured Microsoft directory',
      { provider: 'microsoft', tenant: 'example.com' },
      '/onboarding',
    ],
  ] as const) {
    it(`redirects a user with ${address} to ${location} if the domain is listed`, async () => {
      const {
        provider = 'google',
        who = avery,
        tenant,
      }: { provider?: ProviderName; who?: string; tenant?: string } = options;
      await start({ signUp: { mode: 'invited', domains: ['example.com'] }, microsoftTenant: tenant });
      expect((await signIn(undefined, who, provider)).location).to.equal(location);
    });
  }

  it('is possible without an invitation if SIGN_UP is open, but never with an invalid invitation', async () => {
    await start({ signUp: { mode: 'open', domains: [] } });
    expect((await signIn()).location).to.equal('/onboarding');
    expect((await signIn('used by another user', 'blake@example.com')).location).to.equal(
      '/sign-in?problem=invitation',
    );
  });

  it('leads to onboarding, and passes on the page to open afterwards', async () => {
    await start({});
    const signInTo = async (returnTo: string) =>
      locationOf(await createBrowser(app.url).signInWith('google', avery, { returnTo }));
    expect(await signInTo('/chat?draft=1')).to.equal('/onboarding?returnTo=%2Fchat%3Fdraft%3D1');
    expect(await signInTo('/onboarding')).to.equal('/onboarding');
  });

  it('rejects a deleted and blocked account, even with an invitation, until it is unblocked', async () => {
    await start({});
    const { browser } = await signIn();
    const { user } = await (await browser.request('/auth/session')).json();
    await app.storage.administration.deleteUser(user.id, { block: true });
    expect((await signIn()).location).to.equal('/sign-in?problem=suspended');
    expect((await signIn((await invite()).token)).location).to.equal('/sign-in?problem=suspended');
    expect((await signIn(undefined, avery, 'microsoft')).location, 'another account').to.equal('/onboarding');
    await app.storage.administration.unblockAccount('google', avery);
    expect((await signIn()).location).to.equal('/onboarding');
  });
});
