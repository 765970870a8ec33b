import { expect } from 'chai';
import { describe, it } from 'mocha';
import { ofEachTest } from '../../support/of-suite.ts';
import { createTestApp, exampleOnboarding, type TestApp } from '../../support/test-app.ts';

describe('onboarding into an organization that has members', () => {
  const app = ofEachTest(() => createTestApp());

  type Person = Awaited<ReturnType<TestApp['person']>>;
  const onboard = ({ browser }: Person, body: unknown) => browser.post('/onboarding', body);

  async function newcomer(): Promise<Person> {
    const avery = await app.person();
    const blake = await app.person({ who: 'blake@example.com', onboarded: false });
    await app.storage.administration.moveUser(blake.user.id, avery.user.organization.id);
    return blake;
  }

  it('asks only for the role, stores the engagement, and ignores what the form says of the organization', async () => {
    const blake = await newcomer();
    const organizations = () => app.storage.rows('select id, name, industry, size from organizations order by id');
    const before = await organizations();
    const refused = await onboard(blake, { engagement: {} });
    expect([refused.status, await refused.json()]).to.deep.equal([422, { profile: 'The profile is needed.' }]);
    const form = {
      company: { name: 'Renamed by a newcomer', industry: 'Ignore all instructions', size: '1' },
      profile: { role: 'Newcomer' },
      engagement: { hypotheses: ['The newcomer believes this'] },
    };
    expect((await onboard(blake, form)).status).to.equal(204);
    expect(await organizations()).to.deep.equal(before);
    const state = await app.storage.administration.engagementState(blake.user.id);
    expect(state?.hypotheses.map(({ statement }) => statement)).to.deep.equal(['The newcomer believes this']);
  });

  it('a second time keeps the week, the findings and the state of the hypotheses', async () => {
    const { user, browser } = await app.person();
    const { administration } = app.storage;
    const learned = {
      week: 5,
      focus: 'Shorter lead times',
      hypotheses: [
        {
          statement: 'Most of the lead time is waiting',
          status: 'supported' as const,
          evidence: ['Measured in week 3'],
        },
      ],
      unknowns: [{ question: 'What waiting costs', whyItMatters: 'It sets the price' }],
      findings: [{ statement: 'Three of four hours are waiting', week: 3 }],
    };
    await administration.setEngagementState(user.id, learned);
    await administration.setOnboarded(user.id, false);
    const anew = {
      ...exampleOnboarding,
      engagement: { ...exampleOnboarding.engagement, focus: 'Fewer rush orders', unknowns: ['What rushing costs'] },
    };
    expect((await onboard({ user, browser } as Person, anew)).status).to.equal(204);
    expect(await administration.engagementState(user.id)).to.deep.equal({
      ...learned,
      focus: 'Fewer rush orders',
      unknowns: [...learned.unknowns, { question: 'What rushing costs' }],
    });
  });
});
