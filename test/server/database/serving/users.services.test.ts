import { promisify } from 'node:util';
import { expect } from 'chai';
import session from 'express-session';
import { describe, it } from 'mocha';
import { exampleOnboarding } from '../../../support/example-onboarding.ts';
import { auditSource, signIn, signInDetails } from '../../../support/people.ts';
import { perTest } from '../../../support/per-suite.ts';
import { required, testDatabaseUrl } from '../../../support/services.ts';
import { createTestDatabase } from '../../../support/test-database.ts';
import { newcomer, runConcurrently } from '../scenes.ts';

describe('concurrent calls of the database, on a PostgreSQL server', () => {
  const storage = perTest(() => {
    required(testDatabaseUrl);
    return createTestDatabase();
  });

  it('create one user at the first sign-ins of one account', async () => {
    const arrive = () => signIn(storage.database, { subject: 'avery', name: 'Avery', email: null });
    const [first, second] = await runConcurrently(storage, 'identities', [arrive, arrive]);
    expect(second).to.deep.equal(first);
    for (const table of ['users', 'organizations', 'memberships', 'identities']) {
      expect(await storage.rows(`select from ${table}`), table).to.have.length(1);
    }
  });

  it('sign up one of two people with the same invitation', async () => {
    const { orgId } = await newcomer(storage, 'Avery');
    const { token: invitation } = await storage.administration.invite({ days: 1, organization: orgId });
    const arrive = (subject: string) => () =>
      storage.database.users.signIn({ ...signInDetails({ subject, name: null, email: null }), invitation });
    const [first, second] = await runConcurrently(storage, 'memberships', [arrive('casey'), arrive('drew')]);
    expect(first).to.include({ action: 'signed-up' });
    expect(second).to.include({ refusal: 'invitation' });
  });

  it('move one of two users with the same invitation', async () => {
    const { orgId: to } = await newcomer(storage, 'Avery');
    const { token: invitation } = await storage.administration.invite({ days: 1, organization: to });
    const [casey, drew] = [await newcomer(storage, 'Casey'), await newcomer(storage, 'Drew')];
    const join =
      ({ userId, orgId: from }: typeof casey) =>
      () =>
        storage.database.users.join({ userId, invitation, confirmed: { from, to } }, auditSource);
    expect(await runConcurrently(storage, 'memberships', [join(casey), join(drew)])).to.deep.equal(['joined', null]);
  });

  it('move a user who accepts an invitation twice, and then name the new organization as both the old and the new one', async () => {
    const { orgId: to } = await newcomer(storage, 'Avery');
    const { token: invitation } = await storage.administration.invite({ days: 1, organization: to });
    const { userId, orgId: from } = await newcomer(storage, 'Casey');
    const join = () => storage.database.users.join({ userId, invitation, confirmed: { from, to } }, auditSource);
    const [first, second] = await runConcurrently<unknown>(storage, 'memberships', [join, join]);
    expect(first).to.equal('joined');
    const organization = { id: to, name: 'Avery’s organization' };
    expect(second).to.deep.equal({ from: organization, to: organization });
    expect(await storage.rows(`select from audit_events where action = 'joined'`)).to.have.length(1);
  });

  it('do not deadlock if a user accepts an invitation and signs in with it, with an address that is verified now', async () => {
    const { orgId: to } = await newcomer(storage, 'Avery');
    const { token: invitation } = await storage.administration.invite({ days: 1, organization: to });
    const casey = { subject: 'casey', name: 'Casey', email: 'casey@example.com' };
    const { id: userId, organization } = await signIn(storage.database, casey);
    const arrive = () =>
      storage.database.users.signIn({ ...signInDetails({ ...casey, emailVerified: true }), invitation });
    const join = () =>
      storage.database.users.join({ userId, invitation, confirmed: { from: organization.id, to } }, auditSource);
    const [signedIn, joined] = await runConcurrently<unknown>(storage, 'users', [arrive, join], 'share');
    expect(signedIn).to.include({ action: 'signed-in', needsConfirmation: true });
    expect(joined).to.equal('joined');
  });

  it('move a user who accepts two invitations to the first organization, and ask again about the second', async () => {
    const { userId, orgId: from } = await newcomer(storage, 'Avery');
    const [casey, drew] = [await newcomer(storage, 'Casey'), await newcomer(storage, 'Drew')];
    const join = async (to: string) => {
      const { token: invitation } = await storage.administration.invite({ days: 1, organization: to });
      return () => storage.database.users.join({ userId, invitation, confirmed: { from, to } }, auditSource);
    };
    const calls = [await join(casey.orgId), await join(drew.orgId)];
    const [first, second] = await runConcurrently<unknown>(storage, 'memberships', calls);
    expect(first).to.equal('joined');
    expect(second).to.have.nested.property('from.id', casey.orgId);
    expect(await storage.rows('select org_id from users where id = ?', [userId])).to.deep.equal([
      { org_id: casey.orgId },
    ]);
  });

  it('do not let an onboarding describe an organization that another user joins', async () => {
    const [avery, casey] = [await newcomer(storage, 'Avery'), await newcomer(storage, 'Casey')];
    const { token: invitation } = await storage.administration.invite({ days: 1, organization: avery.orgId });
    const confirmed = { from: casey.orgId, to: avery.orgId };
    const join = () => storage.database.users.join({ userId: casey.userId, invitation, confirmed }, auditSource);
    const onboard = () => storage.database.engagements.begin(avery, exampleOnboarding, auditSource);
    const outcomes = await runConcurrently<unknown>(storage, 'memberships', [join, onboard]);
    expect(outcomes).to.deep.equal(['joined', true]);
    expect(await storage.rows('select industry from organizations where id = ?', [avery.orgId])).to.deep.equal([
      { industry: null },
    ]);
  });

  it('do not begin a session of a user who is being suspended', async () => {
    const { userId } = await newcomer(storage, 'Avery');
    const { sessionStore } = storage.database;
    const cookie = new session.Cookie();
    cookie.originalMaxAge = 60_000;
    const begin = () =>
      promisify(sessionStore.set.bind(sessionStore))('new', { cookie, userId, begunAt: 1, renewedAt: 1 }).then(
        () => 'begun',
        (error: Error) => error.message,
      );
    const suspend = () => storage.administration.suspendUser(userId);
    const [, outcome] = await runConcurrently<unknown>(storage, 'sessions', [suspend, begin]);
    expect(outcome).to.equal('The user of the new session is deleted or suspended.');
    expect(await storage.rows('select sid from sessions')).to.deep.equal([]);
  });
});
