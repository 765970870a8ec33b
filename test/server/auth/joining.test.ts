import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { routes } from '../../../shared/interface.ts';
import type { ProviderName } from '../../../shared/session.ts';
import { createBrowser, locationOf } from '../../support/browser.ts';
import { perTest } from '../../support/per-suite.ts';
import { createTestApp, exampleOnboarding, type TestApp } from '../../support/test-app.ts';

type Account = { provider: ProviderName; who: string };

const avery: Account = { provider: 'google', who: 'avery@example.com' };
const blake: Account = { provider: 'google', who: 'blake@example.com' };
const drew: Account = { provider: 'microsoft', who: 'drew@example.com' };

type Visitor = Awaited<ReturnType<TestApp['person']>>;

describe('joining another organization with an invitation', () => {
  let token: string;

  const app = perTest(() => createTestApp());
  const victim = perTest(() => app.person(avery));
  const evil = perTest(() => app.person(blake));
  beforeEach(async () => {
    token = await invite(evil);
  });

  const organizationOf = ({ user: { organization } }: Visitor) => ({ id: organization.id, name: organization.name });
  const invite = async (visitor?: Visitor) => {
    const organization = visitor && organizationOf(visitor).id;
    return (await app.storage.administration.invite({ days: 1, organization })).token;
  };
  const returnTo = '/chat?draft=1';
  const signIn = (browser: Visitor['browser'], { provider, who }: Account = avery, invitation = token) =>
    browser.signInWith(provider, who, { invitation, returnTo }).then(locationOf);
  const userOf = async (browser: Visitor['browser']) => (await (await browser.request(routes.session)).json()).user;
  const organizationIdOf = async (browser: Visitor['browser']) => (await userOf(browser)).organization.id;
  const usedInvitations = async () =>
    (await app.storage.rows('select used_at from invitations')).filter((row) => row.used_at !== null).length;
  const joinEvents = async () =>
    (await app.storage.rows("select actor, subject, details from audit_events where action = 'joined'")) as unknown[];

  const post = (browser: Visitor['browser'], body: object) => browser.post(routes.join, body);
  const requestQuestion = (browser: Visitor['browser'], invitation = token) => post(browser, { invitation });
  const confirmation = () => ({ invitation: token, from: organizationOf(victim).id, to: organizationOf(evil).id });

  it('requires a confirmation on the sign-in page, even if the provider approves without interaction', async () => {
    const question = `/sign-in?${new URLSearchParams({ returnTo, invitation: token })}`;
    for (const browser of [victim.browser, /* signed out */ createBrowser(app.url)]) {
      expect(await signIn(browser)).to.equal(question);
      expect(await userOf(browser)).to.deep.include({ onboarded: true, organization: organizationOf(victim) });
    }
    const newcomer = await app.person({ ...drew, onboarded: false });
    expect(await signIn(newcomer.browser, drew), 'a user who is not onboarded').to.equal(question);
    expect(await usedInvitations()).to.equal(0);
    expect(await joinEvents()).to.deep.equal([]);
    expect(JSON.stringify(app.lines)).not.to.include(token);
  });

  it('moves a user who confirms both organizations, keeps the session, and requires onboarding again', async () => {
    expect((await post(victim.browser, confirmation())).status).to.equal(204);
    const { id, onboarded, organization } = await userOf(victim.browser);
    expect({ onboarded, organization }).to.deep.equal({
      onboarded: false,
      organization: { ...organizationOf(evil), shared: true },
    });
    const [invited] = (await app.storage.administration.listInvitations()).rows;
    expect(invited).to.include({ usedBy: id });
    expect(await joinEvents()).to.deep.equal([{ actor: id, subject: id, details: { invitation: invited?.id } }]);
    expect(JSON.stringify(app.lines)).to.include('"joined"').and.not.to.include(token);
  });

  it('does not require onboarding again when a user returns to an organization', async () => {
    await post(victim.browser, confirmation());
    const { profile, engagement } = exampleOnboarding;
    expect((await victim.browser.post(routes.onboarding, { profile, engagement })).status).to.equal(204);
    await app.storage.administration.moveUser(victim.user.id, organizationOf(victim).id);
    token = await invite(evil);
    expect((await post(victim.browser, confirmation())).status).to.equal(204);
    expect((await userOf(victim.browser)).onboarded).to.equal(true);
  });

  it('does not move a user whose confirmation names only one of the organizations, or a wrong one', async () => {
    const { from, to } = confirmation();
    for (const [named, status] of [
      [{ from: to, to }, 409],
      [{ from, to: from }, 409],
      [{ from, to: '\0' }, 409],
      [{ from }, 200],
      [{ to }, 200],
      [{ from, to: 7 }, 422],
      [{ from, to, invitation: null }, 422],
    ] as const) {
      expect((await post(victim.browser, { invitation: token, ...named })).status).to.equal(status);
    }
    expect(await organizationIdOf(victim.browser)).to.equal(from);
    expect(await usedInvitations()).to.equal(0);
  });

  it('returns 409 if the user has been moved, or another user has signed in, since the confirmation was shown', async () => {
    const asked = confirmation();
    const other = await app.person(drew);
    expect((await post(other.browser, asked)).status).to.equal(409);
    await app.storage.administration.moveUser(victim.user.id, organizationOf(other).id);
    expect((await post(victim.browser, asked)).status).to.equal(409);
    expect(await organizationIdOf(victim.browser)).to.equal(organizationOf(other).id);
    expect(await usedInvitations()).to.equal(0);
  });

  for (const [title, end] of [
    ['has been used', () => app.storage.rows('update invitations set used_at = now(), used_by = ?', [evil.user.id])],
    ['has expired', () => app.storage.rows('update invitations set expires_at = now()')],
    ['has been revoked', () => app.storage.rows('delete from invitations')],
  ] as const) {
    it(`returns 409 for a confirmation, and 404 for the page that asks for it, once the invitation ${title}`, async () => {
      await end();
      expect((await post(victim.browser, confirmation())).status).to.equal(409);
      expect((await requestQuestion(victim.browser)).status).to.equal(404);
      expect(await signIn(victim.browser), 'the invitation is ignored').to.equal(returnTo);
      expect(await organizationIdOf(victim.browser)).to.equal(organizationOf(victim).id);
    });
  }

  it('moves a user once if two tabs confirm, and then names the new organization as both the old and the new one', async () => {
    const asked = confirmation();
    expect((await post(victim.browser, asked)).status).to.equal(204);
    expect((await post(victim.browser, asked)).status).to.equal(409);
    expect(await joinEvents()).to.have.length(1);
    expect(await (await requestQuestion(victim.browser)).json()).to.deep.equal({
      from: organizationOf(evil),
      to: organizationOf(evil),
    });
  });

  it("is not offered if the invitation names no organization or the user's own", async () => {
    const own = await invite(victim);
    const none = await invite();
    expect(await (await requestQuestion(victim.browser, own)).json()).to.deep.equal({
      from: organizationOf(victim),
      to: organizationOf(victim),
    });
    expect(await (await requestQuestion(victim.browser, none)).json()).to.deep.equal({
      from: organizationOf(victim),
      to: null,
    });
    for (const invitation of [own, none]) expect(await signIn(victim.browser, avery, invitation)).to.equal(returnTo);
    expect(await usedInvitations()).to.equal(0);
  });
});
