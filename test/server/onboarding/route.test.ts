import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { EngagementState } from '../../../server/engagement/engagement-state.ts';
import { onboardingSchema } from '../../../shared/onboarding.ts';
import { collect } from '../../support/collect.ts';
import { perSuite, perTest } from '../../support/per-suite.ts';
import { createTestApp, exampleOnboarding, type Person, post, question } from '../../support/test-app.ts';

describe('POST /onboarding', () => {
  const app = perSuite(() => createTestApp());
  const drew = perSuite(() => app.person({ provider: 'microsoft', who: 'drew@example.com', onboarded: false }));

  const send = (body: unknown, headers: Record<string, string> = {}) =>
    post(`${app.url}/onboarding`, body, { Cookie: drew.cookie, ...headers });

  for (const [what, body, sentences] of [
    [
      'missing, blank and invisible text, by its dotted path',
      { company: { name: ' ' }, profile: {}, engagement: { unknowns: ['', 7, '\u200b'.repeat(501)] } },
      {
        'company.name': 'The company name is required.',
        'company.industry': 'The industry is required.',
        'profile.role': 'Your role is required.',
        'engagement.unknowns.0': 'An unknown is required.',
        'engagement.unknowns.1': 'An unknown must be text.',
        'engagement.unknowns.2': 'An unknown is required.',
      },
    ],
    ['missing part', {}, { company: 'The company is required.', profile: 'The profile is required.' }],
    [
      'part and field of the wrong type',
      {
        company: 'Example Castings',
        profile: null,
        engagement: { focus: 7, hypotheses: 'all', unknowns: null },
      },
      {
        company: 'The company must be an object.',
        profile: 'The profile must be an object.',
        'engagement.focus': 'The focus must be text.',
        'engagement.hypotheses': 'The hypotheses must be a list.',
        'engagement.unknowns': 'The unknowns must be a list.',
      },
    ],
    [
      'engagement of the wrong type',
      { ...exampleOnboarding, engagement: [] },
      { engagement: 'The engagement must be an object.' },
    ],
    ['form of the wrong type', [], { '': 'The form must be an object.' }],
    [
      'text that is too long, including the eleventh entry of a list',
      {
        ...exampleOnboarding,
        profile: { role: 'r'.repeat(201) },
        engagement: { hypotheses: [...Array(10).fill('Most of it is waiting'), 'h'.repeat(501)] },
      },
      {
        'profile.role': 'Your role can have at most 200 characters.',
        'engagement.hypotheses.10': 'A hypothesis can have at most 500 characters.',
      },
    ],
    [
      'list with too many entries',
      { ...exampleOnboarding, engagement: { hypotheses: Array(21).fill(7) } },
      { 'engagement.hypotheses': 'At most 20 entries.' },
    ],
  ] as const) {
    it(`returns 422 with a sentence for each ${what}, and does not onboard the user`, async () => {
      const response = await send(body);
      expect([response.status, await response.json()]).to.deep.equal([422, sentences]);
      expect(response.headers.get('content-type')).to.equal('application/json; charset=utf-8');
      const session = await (await drew.browser.request('/auth/session')).json();
      expect(session.user.onboarded).to.equal(false);
    });
  }

  it('accepts the body of the longest valid form in any language', async () => {
    const text = (length: number) => '漢'.repeat(length);
    const statements = Array(20).fill(text(500));
    const longest = {
      company: { name: text(200), industry: text(200), size: text(100) },
      profile: { role: text(201) },
      engagement: { focus: text(1000), hypotheses: statements, unknowns: statements },
    };
    expect(await (await send(longest)).json()).to.deep.equal({
      'profile.role': 'Your role can have at most 200 characters.',
    });
  });

  it('stores each field, which then appears in the prompt and the exports', async () => {
    const blake = await app.person({ provider: 'google', who: 'blake@example.com', onboarded: false });
    const { company, profile, engagement } = onboardingSchema.shape;
    const parts = { company, profile, engagement: engagement.def.innerType };
    const texts: string[] = [];
    const form = Object.fromEntries(
      Object.entries(parts).map(([part, { shape }]) => [
        part,
        Object.fromEntries(
          Object.entries(shape).map(([field, schema]) => {
            const text = `Text of ${part}.${field}`;
            texts.push(text);
            return [field, schema.safeParse(text).success ? text : [text]];
          }),
        ),
      ]),
    );
    expect((await send(form, { Cookie: blake.cookie })).status).to.equal(204);

    await (await app.live(blake, question())).text();
    const prompt = JSON.stringify(app.provider.requests.at(-1)?.body.system);
    const { administration } = app.storage;
    const exported = [
      ...(await collect(administration.exportUser(blake.user.id))),
      ...(await collect(administration.exportOrganization(blake.user.organization.id))),
    ].join('');
    const isMissingIn = (text: string) => (field: string) => !text.includes(field);
    expect(texts.filter(isMissingIn(prompt)), 'missing in the prompt').to.deep.equal([]);
    expect(texts.filter(isMissingIn(exported)), 'missing in the exports').to.deep.equal([]);
  });

  it('sets the organization, the profile and week 1 of the engagement; a second request returns 409', async () => {
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
    expect(await again.text()).to.equal('Onboarding is already complete.\n');
    expect((await (await drew.browser.request('/auth/session')).json()).user).to.deep.equal(user);
  });
});

describe('POST /onboarding in an organization with members', () => {
  const app = perTest(() => createTestApp());

  const onboard = ({ browser }: Person, body: unknown) => browser.post('/onboarding', body);

  /** Onboards a user with this state again, and returns the new state. */
  async function onboardAgain(existingState: EngagementState, form: unknown) {
    const avery = await app.person();
    const { administration } = app.storage;
    await administration.setEngagementState(avery.user.id, existingState);
    await administration.setOnboarded(avery.user.id, false);
    expect((await onboard(avery, form)).status).to.equal(204);
    return administration.engagementState(avery.user.id);
  }

  it('requires only the role, stores the engagement, and ignores the company of the form', async () => {
    const avery = await app.person();
    const blake = await app.person({ who: 'blake@example.com', onboarded: false });
    await app.storage.administration.moveUser(blake.user.id, avery.user.organization.id);
    const organizations = () => app.storage.rows('select id, name, industry, size from organizations order by id');
    const before = await organizations();
    const refused = await onboard(blake, { engagement: {} });
    expect([refused.status, await refused.json()]).to.deep.equal([422, { profile: 'The profile is required.' }]);
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

  it('keeps the week, the findings and the status of hypotheses if a user is onboarded again', async () => {
    const statement = 'Most of the lead time is waiting';
    const existingState: EngagementState = {
      week: 5,
      focus: 'Shorter lead times',
      hypotheses: [{ statement, status: 'supported', evidence: ['Measured in week 3'] }],
      unknowns: [{ question: 'What waiting costs', whyItMatters: 'It sets the price' }],
      findings: [{ statement: 'Three of four hours are waiting', week: 3 }],
    };
    const secondForm = {
      ...exampleOnboarding,
      engagement: { ...exampleOnboarding.engagement, focus: 'Fewer rush orders', unknowns: ['What rushing costs'] },
    };
    expect(await onboardAgain(existingState, secondForm)).to.deep.equal({
      ...existingState,
      focus: 'Fewer rush orders',
      unknowns: [...existingState.unknowns, { question: 'What rushing costs' }],
    });
  });

  it('keeps what the form does not mention, except the company size, and has at most 50 unknowns without duplicates', async () => {
    const existingState = {
      week: 5,
      focus: 'Shorter lead times',
      hypotheses: [],
      unknowns: Array.from({ length: 49 }, (_, index) => ({ question: `Unknown ${index}`, whyItMatters: 'Prices' })),
      findings: [],
    };
    const secondForm = {
      company: { name: 'Example Castings', industry: 'Metal casting' },
      profile: { role: 'Head of operations' },
      engagement: { unknowns: ['Unknown 0', 'New 1', 'New 2'] },
    };
    expect(await onboardAgain(existingState, secondForm)).to.deep.equal({
      ...existingState,
      unknowns: [...existingState.unknowns, { question: 'New 1' }],
    });
    expect(await app.storage.rows('select size from organizations')).to.deep.equal([{ size: null }]);
  });
});
