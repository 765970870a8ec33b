import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createTranslator } from 'use-intl/core';
import { deletePersonData, deviceKeys } from '../../../client/device/device-storage.ts';
import { messages as german } from '../../../client/language/messages/de.ts';
import { messages } from '../../../client/language/messages/en.ts';
import {
  loadStatements,
  statementsOf,
  storeStatements,
  suggestQuestions,
} from '../../../client/onboarding/first-questions.ts';
import { createFakeStorage } from '../../../client-package/testing/fake-storage.ts';

const organization = ' Northwind Pumps ';

const t = createTranslator({ locale: 'en', messages, namespace: 'firstQuestions' });

describe('suggestQuestions', () => {
  it('starts with the first hypothesis, then the first unknown, then the focus', () => {
    const engagement = {
      focus: 'Shorter lead times.',
      hypotheses: ['Most of the lead time is waiting.', 'Changeovers cost a day a week'],
      unknowns: ['What does an hour of waiting cost?'],
    };
    expect(suggestQuestions(t, organization, statementsOf({ engagement }))).to.deep.equal([
      'How do we test this first: “Most of the lead time is waiting”?',
      'How could we find this out within a week: “What does an hour of waiting cost”?',
      'What would be a good first step towards this: “Shorter lead times”?',
    ]);
  });

  it('strips the final punctuation of every language', () => {
    for (const ending of ['.', '?!', '。', '？', '！', '؟']) {
      expect(suggestQuestions(t, organization, { hypothesis: `Waiting${ending}` })).to.deep.equal([
        'How do we test this first: “Waiting”?',
      ]);
    }
  });

  it('returns a general question if all optional fields are blank', () => {
    const question = 'Which hypotheses would you start with at Northwind Pumps, and how would we test them?';
    expect(suggestQuestions(t, organization, {})).to.deep.equal([question]);
  });

  it('cuts a long entry after a word and joins its lines', () => {
    const hypothesis = `Waiting\n\n${'word '.repeat(60)}`;
    const [question = ''] = suggestQuestions(t, organization, { hypothesis });
    expect(question).to.match(/^How do we test this first: “Waiting( word)+…”\?$/);
    expect(question.length).to.be.at.most(200);
  });
});

describe('loadStatements', () => {
  const owner = { userId: 'ada', organizationId: 'northwind' };
  const statements = { hypothesis: 'Most of the lead time is waiting' };

  it('returns what was stored for the same user and organization, and nothing for others', () => {
    const storage = createFakeStorage();
    storeStatements(owner, statements, storage);
    expect(loadStatements(owner, storage)).to.deep.equal(statements);
    expect(loadStatements({ ...owner, organizationId: 'contoso' }, storage)).to.equal(undefined);
    expect(loadStatements({ ...owner, userId: 'bob' }, storage)).to.equal(undefined);
  });

  it('returns what a page in another language can build its questions from', () => {
    const storage = createFakeStorage();
    storeStatements(owner, statements, storage);
    const inGerman = createTranslator({ locale: 'de', messages: german, namespace: 'firstQuestions' });
    expect(suggestQuestions(inGerman, organization, loadStatements(owner, storage) ?? {})).to.deep.equal([
      inGerman('hypothesis', { quoted: statements.hypothesis }),
    ]);
  });

  it('returns nothing after the data of the user is deleted', () => {
    const storage = createFakeStorage();
    storeStatements(owner, statements, storage);
    deletePersonData('ada', [storage]);
    expect(loadStatements(owner, storage)).to.equal(undefined);
  });

  it('returns nothing if the stored text is damaged', () => {
    const storage = createFakeStorage();
    storage.setItem(deviceKeys.firstQuestions('ada'), '["A question?"]');
    expect(loadStatements(owner, storage)).to.equal(undefined);
  });
});
