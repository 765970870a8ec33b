import { expect } from 'chai';
import { describe, it } from 'mocha';
import { auditSource, findPerson, signIn } from '../../../support/people.ts';
import { perTest } from '../../../support/per-suite.ts';
import { createTestDatabase } from '../../../support/test-database.ts';
import { refusal } from '../scenes.ts';

const avery = { provider: 'google', subject: '1', name: 'Avery', email: 'avery@example.com' };

describe('database.users', () => {
  const storage = perTest(() => createTestDatabase());

  const count = async (table: string) => (await storage.rows(`select count(*)::int from ${table}`))[0]?.count;

  it('creates a user, an organization and a membership at the first sign-in', async () => {
    const person = await signIn(storage.database, avery);
    expect(person).to.deep.equal({
      id: person.id,
      name: 'Avery',
      email: 'avery@example.com',
      onboarded: false,
      organization: { id: person.organization.id, name: 'Avery’s organization' },
    });
    expect(await storage.rows('select user_id, org_id from memberships')).to.deep.equal([
      { user_id: person.id, org_id: person.organization.id },
    ]);
    expect(await storage.rows('select provider, subject, user_id from identities')).to.deep.equal([
      { provider: 'google', subject: '1', user_id: person.id },
    ]);
  });

  it('finds the same user by provider and subject, even if name and email address have changed', async () => {
    const first = await signIn(storage.database, avery);
    const again = await signIn(storage.database, { ...avery, name: 'A.', email: null });
    expect(again).to.deep.equal(first);
    expect(await findPerson(storage, first.id)).to.deep.equal(first);
    expect(await count('users')).to.equal(1);
  });

  it('updates email verification only if the email address is the same', async () => {
    const verified = async () => (await storage.rows('select email_verified from users'))[0]?.email_verified;
    await signIn(storage.database, avery);
    await signIn(storage.database, { ...avery, email: 'avery@elsewhere.example', emailVerified: true });
    expect(await verified()).to.equal(false);
    for (const emailVerified of [true, false]) {
      await signIn(storage.database, { ...avery, emailVerified });
      expect(await verified()).to.equal(emailVerified);
    }
  });

  for (const [title, change] of [
    ['the user has been deleted', (id: string) => storage.administration.deleteUser(id)],
    [
      'the user has been moved',
      async (id: string) => {
        const casey = await signIn(storage.database, { ...avery, subject: '2' });
        await storage.administration.moveUser(id, casey.organization.id);
      },
    ],
  ] as const) {
    it(`rejects an onboarding with UNAUTHENTICATED once ${title}`, async () => {
      const { id, organization } = await signIn(storage.database, avery);
      await change(id);
      const form = { profile: { role: 'Head' }, engagement: { hypotheses: [], unknowns: [] } };
      const pending = storage.database.engagements.begin({ userId: id, orgId: organization.id }, form, auditSource);
      expect(await refusal(pending)).to.include({ code: 'UNAUTHENTICATED' });
    });
  }

  it('lets no suspended user join an organization', async () => {
    const drew = await signIn(storage.database, avery);
    const casey = await signIn(storage.database, { ...avery, subject: '2' });
    const [from, to] = [drew.organization.id, casey.organization.id];
    const { token } = await storage.administration.invite({ days: 1, organization: to });
    await storage.administration.suspendUser(drew.id);
    const joining = { userId: drew.id, invitation: token, confirmed: { from, to } };
    expect(await storage.database.users.join(joining, auditSource)).to.equal(null);
    expect(await findPerson(storage, drew.id)).to.deep.include({ organization: drew.organization });
  });

  it('distinguishes subjects that differ only in characters that PostgreSQL cannot store', async () => {
    await signIn(storage.database, { ...avery, subject: 'a\uFFFD' });
    await refusal(signIn(storage.database, { ...avery, subject: 'a\0' }));
    expect(await count('users')).to.equal(1);
  });
});
