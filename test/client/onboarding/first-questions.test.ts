import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createTranslator } from 'use-intl/core';
import { messages } from '../../../client/language/messages/en.ts';
import { suggestQuestions } from '../../../client/onboarding/first-questions.ts';

const organization = ' Northwind Pumps ';
const blank = { hypotheses: [], unknowns: [] };

const t = createTranslator({ locale: 'en', messages, namespace: 'firstQuestions' });

describe('suggestQuestions', () => {
  it('starts with the first hypothesis, then the first unknown, then the focus', () => {
    const engagement = {
      focus: 'Shorter lead times.',
      hypotheses: ['Most of the lead time is waiting.', 'Changeovers cost a day a week'],
      unknowns: ['What does an hour of waiting cost?'],
    };
    expect(suggestQuestions(t, organization, { engagement })).to.deep.equal([
      'How do we test this first: “Most of the lead time is waiting”?',
      'How could we find this out within a week: “What does an hour of waiting cost”?',
      'What would be a good first step towards this: “Shorter lead times”?',
    ]);
  });

  it('strips the final punctuation of every language', () => {
    for (const ending of ['.', '?!', '。', '？', '！', '؟']) {
      const hypotheses = [`Waiting${ending}`];
      expect(suggestQuestions(t, organization, { engagement: { ...blank, hypotheses } })).to.deep.equal([
        'How do we test this first: “Waiting”?',
      ]);
    }
  });

  it('returns a general question if all optional fields are blank', () => {
    const question = 'Which hypotheses would you start with at Northwind Pumps, and how would we test them?';
    expect(suggestQuestions(t, organization, { engagement: blank })).to.deep.equal([question]);
  });

  it('cuts a long entry after a word and joins its lines', () => {
    const hypotheses = [`Waiting\n\n${'word '.repeat(60)}`];
    const [question = ''] = suggestQuestions(t, organization, { engagement: { ...blank, hypotheses } });
    expect(question).to.match(/^How do we test this first: “Waiting( word)+…”\?$/);
    expect(question.length).to.be.at.most(200);
  });
});
