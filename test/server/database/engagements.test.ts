import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { findPerson, origin } from '../../support/people.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { newcomer, type Scope } from './scenes.ts';

const form = {
  company: { name: 'Example Castings', industry: 'Metal casting', size: '120 people' },
  profile: { role: 'Head of operations' },
  engagement: {
    focus: 'Shorter lead times',
    hypotheses: ['Most of the lead time is waiting'],
    unknowns: ['What waiting costs'],
  },
};
const another = {
  company: { name: 'Other Castings', industry: 'Other' },
  profile: { role: 'Other' },
  engagement: { hypotheses: [], unknowns: [] },
};

describe('engagements.begin', () => {
  let storage: TestDatabase;
  let avery: Scope;

  beforeEach(async () => {
    storage = await createTestDatabase();
    avery = await newcomer(storage, 'Avery');
  });
  afterEach(() => storage.close());

  const everything = async () => ({
    organizations: await storage.rows('select id, name, industry, size from organizations order by name'),
    users: await storage.rows('select id, role, onboarded_at from users order by name'),
    states: await storage.rows(
      'select user_id, org_id, week, focus, hypotheses, unknowns, findings from engagement_states',
    ),
  });

  it('fills the organization, the profile and week 1, and lets the person in', async () => {
    const casey = await newcomer(storage, 'Casey');
    expect(await storage.database.engagements.begin(avery, form, origin)).to.equal(true);
    const { organizations, users, states } = await everything();
    expect(organizations).to.deep.equal([
      { id: casey.orgId, name: "Casey's organization", industry: null, size: null },
      { id: avery.orgId, name: 'Example Castings', industry: 'Metal casting', size: '120 people' },
    ]);
    expect(users[0]).to.include({ id: avery.userId, role: 'Head of operations' });
    expect(users[0]?.onboarded_at).not.to.equal(null);
    expect(users[1]).to.deep.equal({ id: casey.userId, role: null, onboarded_at: null });
    expect(states).to.deep.equal([
      {
        user_id: avery.userId,
        org_id: avery.orgId,
        week: 1,
        focus: 'Shorter lead times',
        hypotheses: [{ statement: 'Most of the lead time is waiting', status: 'open', evidence: [] }],
        unknowns: [{ question: 'What waiting costs' }],
        findings: [],
      },
    ]);
    expect((await findPerson(storage, avery.userId))?.onboarded).to.equal(true);
  });

  it('takes a form without what may be left out', async () => {
    expect(await storage.database.engagements.begin(avery, another, origin)).to.equal(true);
    const { organizations, states } = await everything();
    expect(organizations[0]).to.include({ name: 'Other Castings', size: null });
    expect(states[0]).to.deep.include({ week: 1, focus: null, hypotheses: [], unknowns: [], findings: [] });
  });

  it('answers false a second time, and changes nothing', async () => {
    await storage.database.engagements.begin(avery, form, origin);
    const before = await everything();
    expect(await storage.database.engagements.begin(avery, another, origin)).to.equal(false);
    expect(await everything()).to.deep.equal(before);
  });

  it('lets one of two forms win whole that come together', async () => {
    const outcomes = await Promise.all(
      [form, another].map((sent) => storage.database.engagements.begin(avery, sent, origin)),
    );
    expect(outcomes.toSorted()).to.deep.equal([false, true]);
    const { organizations, users, states } = await everything();
    const won = outcomes[0] ? form : another;
    expect(organizations[0]?.name).to.equal(won.company.name);
    expect(users[0]?.role).to.equal(won.profile.role);
    expect(states[0]?.hypotheses).to.have.length(won.engagement.hypotheses.length);
  });

  it('does nothing for a person who belongs to another organization by now', async () => {
    const casey = await newcomer(storage, 'Casey');
    const before = await everything();
    const left = { userId: avery.userId, orgId: casey.orgId };
    expect(await storage.database.engagements.begin(left, form, origin)).to.equal(false);
    expect(await everything()).to.deep.equal(before);
  });

  it('leaves an organization as it is that has other members, whatever is said of it', async () => {
    await storage.database.engagements.begin(avery, form, origin);
    const casey = await newcomer(storage, 'Casey');
    await storage.administration.moveUser(casey.userId, avery.orgId);
    const joined = { ...casey, orgId: avery.orgId };
    expect(await storage.database.engagements.begin(joined, another, origin)).to.equal(true);
    const [organization] = await storage.rows('select name, industry from organizations where id = ?', [avery.orgId]);
    expect(organization).to.deep.equal({ name: 'Example Castings', industry: 'Metal casting' });
  });
});
