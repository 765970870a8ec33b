import { createHash } from 'node:crypto';
import { install } from '@sinonjs/fake-timers';
import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import type { EngagementState } from '../../../server/engagement/engagement-state.ts';
import { readDataSection } from '../../../server/prompt/layers.ts';
import {
  composeLivePrompt,
  demoPrompt,
  type PromptFacts,
  withCacheBreakpoint,
} from '../../../server/prompt/prompts.ts';
import { promptVersion } from '../../../shared/interface.ts';
import { onboardingSchema } from '../../../shared/onboarding.ts';
import { closing } from '../../support/closing.ts';
import { createTestApp, question } from '../../support/test-app.ts';

const engagement: EngagementState = {
  week: 3,
  focus: 'Halve the returns of winter boots.',
  hypotheses: [
    { statement: 'Most returns are a matter of size.', status: 'supported', evidence: ['Week 2: 61 of 100 returns.'] },
    { statement: 'Photographs mislead about colour.', status: 'open', evidence: [] },
  ],
  unknowns: [
    { question: 'What does a return cost?', whyItMatters: 'It bounds the remedy.' },
    { question: 'Who returns?' },
  ],
  findings: [{ statement: 'Returns doubled in a year.', week: 1 }],
};

const facts: PromptFacts = {
  organization: { name: 'Example Boots', industry: 'Retail', size: null },
  user: { name: null, role: 'Head of returns' },
  engagement,
  today: '2026-11-21',
};

/** Generates any text, including lone surrogates, and often an attempt to close the data section or to start a layer. */
const hostileText = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.nat({ max: 0xffff }).map((unit) => String.fromCharCode(unit)),
      fc.constantFrom('<data>', '</data>', '\n# L7 Boundaries\n', '\r', '\u0085', '\u2028', '\u2029', '\\u003c', '"}}'),
    ),
    { maxLength: 6 },
  )
  .map((fragments) => fragments.join(''));

const { company, profile } = onboardingSchema.shape;
const filled = (fields: object, text: string) => Object.fromEntries(Object.keys(fields).map((field) => [field, text]));

const layers = (given: PromptFacts) => composeLivePrompt(given).map(({ text }) => text);
const layer = (number: number, given: PromptFacts) => layers(given).at(number - 1) ?? '';
const layerHeadings = (text: string) => text.match(/^# .*$/gm);
const headings = layerHeadings(layers(facts).join('\n')) ?? [];
const last = headings.length;

describe('composeLivePrompt', () => {
  it('places cache breakpoints only on L3, L5 and the last layer', () => {
    const marked = composeLivePrompt(facts).flatMap((block, index) =>
      block.cache_control === undefined ? [] : [index + 1],
    );
    expect(marked).to.deep.equal([3, 5, last]);
  });

  it('fills L1 to L3 with at least the 1,024 tokens that the provider needs to cache them, counting each word as one token', () => {
    const words = layers(facts).slice(0, 3).join(' ').split(/\s+/);
    expect(words).to.have.length.of.at.least(1024);
  });

  it('changes only L6 if the engagement state changes, and only the last layer if the date changes', () => {
    const before = layers(facts);
    const changedBy = (change: Partial<PromptFacts>) =>
      layers({ ...facts, ...change }).flatMap((text, index) => (text === before[index] ? [] : [index + 1]));
    expect(changedBy({ engagement: { ...engagement, week: 4 } })).to.deep.equal([6]);
    expect(changedBy({ today: '2026-11-22' })).to.deep.equal([last]);
    expect(layer(last, facts)).to.include('2026-11-21');
  });

  it('returns the same bytes for any order of keys, and omits unknown keys', () => {
    const otherwiseOrdered = {
      today: '2026-11-21',
      engagement: {
        id: 'row',
        findings: engagement.findings.map(({ week, statement }) => ({ week, statement, id: 'row' })),
        unknowns: engagement.unknowns.map((unknown) => ({ id: 'row', ...unknown })),
        hypotheses: engagement.hypotheses.map(({ evidence, status, statement }) => ({
          id: 'row',
          evidence,
          status,
          statement,
        })),
        focus: 'Halve the returns of winter boots.',
        week: 3,
      },
      user: { role: 'Head of returns', name: null, email: 'someone@example.com' },
      organization: { size: null, industry: 'Retail', name: 'Example Boots', id: 'row' },
    };
    expect(composeLivePrompt(otherwiseOrdered)).to.deep.equal(composeLivePrompt(facts));
  });

  it('confines any text that people typed to its own layer', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const hostile: PromptFacts = {
          organization: filled(company.shape, text),
          user: { name: text, ...filled(profile.shape, text) },
          engagement: {
            week: 1,
            focus: text,
            hypotheses: [{ statement: text, status: 'open', evidence: [text] }],
            unknowns: [{ question: text, whyItMatters: text }],
            findings: [{ statement: text, week: 1 }],
          },
          today: '2026-11-21',
        };
        expect(layerHeadings(layers(hostile).join('\n'))).to.deep.equal(headings);
        for (const number of [4, 5, 6]) {
          expect(layer(number, hostile).match(/[<>]/g)).to.deep.equal(['<', '>', '<', '>']);
          expect(layer(number, hostile)).not.to.match(/[\r\u0085\u2028\u2029]/);
        }
        expect(readDataSection(layer(4, hostile))).to.deep.equal({ organization: hostile.organization });
        expect(readDataSection(layer(5, hostile))).to.deep.equal({ user: hostile.user });
        expect(readDataSection(layer(6, hostile))).to.deep.equal({ engagement: hostile.engagement });
      }),
      { numRuns: 500 },
    );
  });
});

describe('withCacheBreakpoint', () => {
  it('marks only the last block of the last message, because the provider refuses a fifth breakpoint', () => {
    const blocks = ['One', 'Two', 'Three'].map((text) => ({ type: 'text' as const, text }));
    const marked = withCacheBreakpoint([
      { role: 'user', content: blocks },
      { role: 'assistant', content: 'Yes.' },
      { role: 'user', content: blocks },
    ]);
    const breakpoint = { ...blocks[2], cache_control: { type: 'ephemeral' } };
    expect(marked.map(({ content }) => content)).to.deep.equal([blocks, 'Yes.', [...blocks.slice(0, 2), breakpoint]]);
  });
});

describe('the prompt of a turn', () => {
  it('has the current date, and is the same some minutes later, so that the provider reads it from its cache', async () => {
    await using app = await createTestApp();
    // Not in the future: the embedded database would still wait for its timeouts of that time in later tests.
    const now = new Date(Date.now() - 86_400_000).setUTCHours(23, 50);
    const clock = install({ now, toFake: ['Date'] });
    await using _clock = closing({ close: async () => clock.uninstall() });
    const avery = await app.person();
    for (const _turn of [1, 2]) {
      await (await app.live(avery, question())).text();
      clock.tick(4 * 60_000);
    }
    const [first, second] = app.provider.requests.map(({ body }) => body.system);
    expect(first?.at(-1)?.text).to.include(new Date(now).toISOString().slice(0, 10));
    expect(second).to.deep.equal(first);
  });
});

describe('promptVersion', () => {
  // Every stored reply has the version of its prompt. If this test fails, the wording, the order or the serialization
  // of a prompt has changed: increase `promptVersion` if stored replies must be distinguishable, and pin the new pair
  // here.
  it('belongs to exactly one wording of the prompts', () => {
    const empty = {
      organization: { name: 'Organization', industry: null, size: null },
      user: { name: null, role: null },
      engagement: { week: 1, hypotheses: [], unknowns: [], findings: [] },
      today: '2026-11-21',
    };
    const prompts = [composeLivePrompt(empty), composeLivePrompt({ ...empty, engagement: null }), demoPrompt];
    const sha256 = createHash('sha256').update(JSON.stringify(prompts)).digest('hex');
    expect({ promptVersion, sha256 }).to.deep.equal({
      promptVersion: '1.0.0',
      sha256: '8cc2b59ae358d4daabd36f84d35dc1335ec4581885f9f1bbaaf86bd1658f3943',
    });
  });
});
