import { expect } from 'chai';
import { describe, it } from 'mocha';
import { ofEachTest } from '../../support/of-suite.ts';
import { origin } from '../../support/people.ts';
import { createTestDatabase } from '../../support/test-database.ts';
import { newcomer } from './scenes.ts';

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
  const storage = ofEachTest(() => createTestDatabase());
  const avery = ofEachTest(() => newcomer(storage, 'Avery'));

  const everything = async () => ({
    organizations: await storage.rows('select id, name, industry, size from organizations order by name'),
    users: await storage.rows('select id, role, onboarded_at from users order by name'),
    states: await storage.rows(
      'select user_id, org_id, week, focus, hypotheses, unknowns, findings from engagement_states',
    ),
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
