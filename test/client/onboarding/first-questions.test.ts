import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createTranslator } from 'use-intl/core';
import { deletePersonData, deviceKeys } from '../../../client/device/device-storage.ts';
import { messages } from '../../../client/language/messages/en.ts';
import {
  loadFirstQuestions,
  storeFirstQuestions,
  suggestQuestions,
} from '../../../client/onboarding/first-questions.ts';
import { createFakeStorage } from '../../../client-package/testing/fake-storage.ts';

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

describe('loadFirstQuestions', () => {
  const owner = { userId: 'ada', organizationId: 'northwind' };
  const questions = ['How do we test this first: “Waiting”?'];

  it('returns the questions stored for the same user and organization, and none for others', () => {
    const storage = createFakeStorage();
    storeFirstQuestions(owner, questions, storage);
    expect(loadFirstQuestions(owner, storage)).to.deep.equal(questions);
    expect(loadFirstQuestions({ ...owner, organizationId: 'contoso' }, storage)).to.deep.equal([]);
    expect(loadFirstQuestions({ ...owner, userId: 'bob' }, storage)).to.deep.equal([]);
  });

  it('returns none after the data of the user is deleted', () => {
    const storage = createFakeStorage();
    storeFirstQuestions(owner, questions, storage);
    deletePersonData('ada', [storage]);
    expect(loadFirstQuestions(owner, storage)).to.deep.equal([]);
  });

  it('returns none if the stored text is damaged', () => {
    const storage = createFakeStorage();
    storage.setItem(deviceKeys.firstQuestions('ada'), '["A question?"]');
    expect(loadFirstQuestions(owner, storage)).to.deep.equal([]);
  });
});
