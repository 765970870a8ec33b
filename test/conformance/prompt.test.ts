import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import type { EngagementState } from '../../server/engagement/engagement-state.ts';
import { demoEngagement } from '../../server/prompt/demo-engagement.ts';
import { readDataSection } from '../../server/prompt/layers.ts';
import { perSuite } from '../support/per-suite.ts';
import { createTestApp, exampleOnboarding, type Person, question, type TestApp } from '../support/test-app.ts';
import { refusals, streamFailures } from './support/provider-failures.ts';

describe('Live chat: the prompt', () => {
  const app = perSuite(() => createTestApp({ limits: { live: 1000 } }));
  const avery = perSuite(() => app.person());
  beforeEach(() => app.provider.reset());

  async function providerBodyFor(person: Person, body: unknown = question()) {
    const turn = app.provider.requests.length + 1;
    const response = await app.live(person, body);
    expect(response.status).to.equal(200);
    await response.text();
    return (await app.provider.request(turn)).body;
  }

  /** Returns the data of layers L4 to L6 of a turn's prompt. */
  async function layerDataFor(person: Person): Promise<unknown[]> {
    const { system } = await providerBodyFor(person);
    return system.slice(3, 6).map(({ text }) => readDataSection(text));
  }

  const administration = () => app.storage.administration;

  it('68 The provider request has max_tokens 4096 and effort high', async () => {
    const { max_tokens, output_config } = await providerBodyFor(avery);
    expect({ max_tokens, output_config }).to.deep.equal({ max_tokens: 4096, output_config: { effort: 'high' } });
  });

  it('69 The system prompt has eight layers, and only L6 has the engagement state', async () => {
    const { system } = await providerBodyFor(avery);
    expect(system.map(({ text }) => text.split(' ', 2).join(' '))).to.deep.equal(
      [1, 2, 3, 4, 5, 6, 7, 8].map((number) => `# L${number}`),
    );
    const { focus, hypotheses, unknowns } = exampleOnboarding.engagement;
    for (const fact of [focus, ...hypotheses, ...unknowns]) {
      expect(
        system.flatMap(({ text }, index) => (text.includes(fact) ? [index + 1] : [])),
        fact,
      ).to.deep.equal([6]);
    }
  });

  it('70 An edited engagement state is in the next prompt', async () => {
    const edited = {
      week: 7,
      focus: 'An edited focus',
      hypotheses: [{ statement: 'An edited hypothesis', status: 'refuted' as const, evidence: ['A measurement'] }],
      unknowns: [{ question: 'An edited unknown', whyItMatters: 'A reason' }],
      findings: [{ statement: 'An edited finding', week: 6 }],
    } satisfies Required<EngagementState>;
    await providerBodyFor(avery);
    await administration().setEngagementState(avery.user.id, edited);
    expect(await administration().engagementState(avery.user.id)).to.deep.equal(edited);
    expect((await layerDataFor(avery)).at(2)).to.deep.equal({ engagement: edited });
  });

  it('71 A turn without an engagement state succeeds', async () => {
    await app.storage.rows('delete from engagement_states');
    const { system } = await providerBodyFor(avery);
    expect(system).to.have.length(8);
    expect(system[5]?.text).to.include('No engagement state is recorded yet');
    expect(readDataSection(system[5]?.text ?? '')).to.deep.equal({ engagement: null });
  });

  it("72 The prompt has only the caller's organization, user and engagement state", async () => {
    const stateOf = (statement: string) => ({
      week: 2,
      hypotheses: [{ statement, status: 'open' as const, evidence: [] }],
      unknowns: [],
      findings: [],
    });
    const blake = await newcomer({ who: 'blake@example.com' }, 'Birch');
    const casey = await newcomer({ provider: 'github', who: 'casey-example' }, 'Cedar');
    const drew = await newcomer({ provider: 'microsoft', who: 'drew@example.com' }, 'Dogwood');
    // Colleagues share the organization but not the profile or the engagement state.
    await administration().moveUser(casey.user.id, blake.user.organization.id);
    const people = [
      { person: blake, organization: 'Birch', name: 'Birch' },
      { person: casey, organization: 'Birch', name: 'Cedar' },
      { person: drew, organization: 'Dogwood', name: 'Dogwood' },
    ];
    for (const { person, name } of people) {
      await administration().setEngagementState(person.user.id, stateOf(`${name} hypothesis`));
    }
    for (const { person, organization, name } of people) {
      expect(await layerDataFor(person)).to.deep.equal([
        { organization: companyOf(organization) },
        { user: { name: person.user.name, role: `${name} role` } },
        { engagement: stateOf(`${name} hypothesis`) },
      ]);
      const sent = JSON.stringify(app.provider.requests.at(-1)?.body);
      const strangers = ['Birch', 'Cedar', 'Dogwood', 'Example Castings'].filter(
        (of) => of !== organization && of !== name,
      );
      for (const stranger of strangers) expect(sent).not.to.include(stranger);
    }
  });

  const companyOf = (word: string) => ({ name: `${word} company`, industry: `${word} trade`, size: `${word} size` });

  async function newcomer(options: Parameters<TestApp['person']>[0], word: string): Promise<Person> {
    const person = await app.person({ ...options, onboarded: false });
    const response = await person.browser.post('/onboarding', {
      company: companyOf(word),
      profile: { role: `${word} role` },
      engagement: {},
    });
    expect(response.status).to.equal(204);
    return person;
  }

  it('73 The history is forwarded as sent, never rebuilt from the database', async () => {
    const first = await app.live(avery, question('The first question'));
    await first.text();
    const conversationId = first.headers.get('x-conversation-id');
    const lastOf = (text: string) => ({
      role: 'user',
      content: [{ type: 'text', text, cache_control: { type: 'ephemeral' } }],
    });
    expect((await providerBodyFor(avery, { ...question('Alone \0 \u202E'), conversationId })).messages).to.deep.equal([
      lastOf('Alone \0 \u202E'),
    ]);
    const [never, said, why, how] = ['Never', 'said', 'Why?', 'And how?'].map((text) => ({ type: 'text', text }));
    const invented = [
      { role: 'user', content: 'Never stored' },
      { role: 'assistant', content: [never, said] },
    ];
    const replayed = { messages: [...invented, { role: 'user', content: [why, how] }], conversationId };
    const last = { role: 'user', content: [why, ...lastOf('And how?').content] };
    expect((await providerBodyFor(avery, replayed)).messages).to.deep.equal([...invented, last]);
  });

  it('74 A failure never falls back to the demo context', async () => {
    const answers = [
      ...refusals.map(([status, type]) => ({ refuse: { status, type, message: 'Scripted refusal.' } })),
      ...streamFailures.flatMap(([, step]) => [{ steps: [step] }, { steps: [{ text: 'Half' }, step] }]),
    ];
    for (const answer of answers) {
      app.provider.reset();
      app.provider.answerWith(answer);
      await (await app.live(avery, question())).text();
      expect(app.provider.requests, 'one request').to.have.length(1);
      const { system } = (await app.provider.request(1)).body;
      expect(system).to.have.length(8);
      expect(JSON.stringify(system)).not.to.include(demoEngagement.organization.name);
    }

    const database = {
      ...app.storage.database,
      turns: { ...app.storage.database.turns, open: () => Promise.reject(new Error('connection refused')) },
    };
    await using offline = await createTestApp({ shared: { storage: app.storage }, database });
    expect((await offline.live(avery, question())).status).to.equal(500);
    expect(offline.provider.requests, 'no request').to.have.length(0);
  });
});
