import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import type { EngagementState } from '../../../server/engagement/engagement-state.ts';
import { readDataSection } from '../../../server/prompt/layers.ts';
import { composeLivePrompt, type PromptFacts } from '../../../server/prompt/prompts.ts';
import { onboardingSchema } from '../../../shared/onboarding.ts';

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

/** Any text at all, lone surrogates included, and often text that tries to end its data section or open a layer. */
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
  it('has cache breakpoints on L3, L5 and the last layer alone', () => {
    const marked = composeLivePrompt(facts).flatMap((block, index) =>
      block.cache_control === undefined ? [] : [index + 1],
    );
    expect(marked).to.deep.equal([3, 5, last]);
  });

  it('keeps L1 to L3 above the 1,024 tokens that the provider needs for its cache, counting a word as one', () => {
    const words = layers(facts).slice(0, 3).join(' ').split(/\s+/);
    expect(words).to.have.length.of.at.least(1024);
  });

  it('lets a change of state touch L6 alone, and a new day, which the last layer names, that one alone', () => {
    const before = layers(facts);
    const changedBy = (change: Partial<PromptFacts>) =>
      layers({ ...facts, ...change }).flatMap((text, index) => (text === before[index] ? [] : [index + 1]));
    expect(changedBy({ engagement: { ...engagement, week: 4 } })).to.deep.equal([6]);
    expect(changedBy({ today: '2026-11-22' })).to.deep.equal([last]);
    expect(layer(last, facts)).to.include('2026-11-21');
  });

  it('has the same bytes whatever the order of keys, and passes on no key that is not named', () => {
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

  it('keeps what people typed inside its layer, whatever they typed', () => {
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
        for (const number of [4, 5, 6])
          expect(layer(number, hostile).match(/[<>]/g)).to.deep.equal(['<', '>', '<', '>']);
        expect(readDataSection(layer(4, hostile))).to.deep.equal({ organization: hostile.organization });
        expect(readDataSection(layer(5, hostile))).to.deep.equal({ user: hostile.user });
        expect(readDataSection(layer(6, hostile))).to.deep.equal({ engagement: hostile.engagement });
      }),
      { numRuns: 500 },
    );
  });
});
