import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { createTestApp, exampleOnboarding, post, type TestApp } from '../../support/test-app.ts';

describe('POST /onboarding', () => {
  let app: TestApp;
  let drew: Awaited<ReturnType<TestApp['person']>>;

  before(async () => {
    app = await createTestApp();
    drew = await app.person({ provider: 'microsoft', who: 'drew@example.com', onboarded: false });
  });
  after(() => app.close());

  const send = (body: unknown, headers: Record<string, string> = {}) =>
    post(`${app.url}/onboarding`, body, { Cookie: drew.cookie, ...headers });

  it('refuses whoever is not signed in', async () => {
    expect((await send(exampleOnboarding, { Cookie: '' })).status).to.equal(401);
  });

  it('answers bad fields with a sentence for each, by dotted path, and keeps the person out', async () => {
    const response = await send({ company: { name: ' ' }, profile: {}, engagement: { unknowns: ['', 7] } });
    expect(response.status).to.equal(422);
    expect(response.headers.get('content-type')).to.equal('application/json; charset=utf-8');
    expect(await response.json()).to.deep.equal({
      'company.name': 'The company name is needed.',
      'company.industry': 'The industry is needed.',
      'profile.role': 'Your role is needed.',
      'engagement.unknowns.0': 'An unknown is needed.',
      'engagement.unknowns.1': 'An unknown must be text.',
    });
    const session = await (await drew.browser.request('/auth/session')).json();
    expect(session.user.onboarded).to.equal(false);
  });

  it('answers what is missing or of another type with a sentence of ours', async () => {
    const complaints = async (body: unknown) => {
      const response = await send(body);
      expect(response.status).to.equal(422);
      return response.json();
    };
    expect(await complaints({})).to.deep.equal({
      company: 'The company is needed.',
      profile: 'The profile is needed.',
    });
    const engagement = { focus: 7, hypotheses: 'all', unknowns: null };
    expect(await complaints({ company: 'Example Castings', profile: null, engagement })).to.deep.equal({
      company: 'The company must be an object.',
      profile: 'The profile must be an object.',
      'engagement.focus': 'The focus must be text.',
      'engagement.hypotheses': 'The hypotheses must be a list.',
      'engagement.unknowns': 'The unknowns must be a list.',
    });
    expect(await complaints({ ...exampleOnboarding, engagement: [] })).to.deep.equal({
      engagement: 'The engagement must be an object.',
    });
    expect(await complaints([])).to.deep.equal({ '': 'The form must be an object.' });
  });

  it('says once that there are too many entries, and looks at none of them', async () => {
    const response = await send({ ...exampleOnboarding, engagement: { hypotheses: Array(21).fill(7) } });
    expect(response.status).to.equal(422);
    expect(await response.json()).to.deep.equal({ 'engagement.hypotheses': 'At most 20 entries.' });
  });

  it('fills the organization, the profile and week 1 of the engagement, once', async () => {
    expect((await send(exampleOnboarding, { Origin: app.url, 'Sec-Fetch-Site': 'same-origin' })).status).to.equal(204);
    const { user } = await (await drew.browser.request('/auth/session')).json();
    expect(user).to.include({ onboarded: true });
    expect(user.organization.name).to.equal('Example Castings');
    expect(await app.storage.administration.engagementState(user.id)).to.deep.equal({
      week: 1,
      focus: 'Shorter lead times',
      hypotheses: [{ statement: 'Most of the lead time is waiting', status: 'open', evidence: [] }],
      unknowns: [{ question: 'What waiting costs' }],
      findings: [],
    });

    const again = await send({ ...exampleOnboarding, company: { name: 'Other', industry: 'Other' } });
    expect(again.status).to.equal(409);
    expect(await again.text()).to.equal('You have completed onboarding already.\n');
  });
});
