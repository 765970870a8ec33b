import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createTranslator } from 'use-intl/core';
import { deleteUserData, deviceKeys } from '../../../client/device/device-storage.ts';
import { type Language, languages, languageTags } from '../../../client/language/languages.ts';
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
const suggest = (statements: Parameters<typeof suggestQuestions>[3], language: Language = 'en') =>
  suggestQuestions(t, language, organization, statements);

describe('suggestQuestions', () => {
  it('asks about the first hypothesis, then the first unknown, then the focus', () => {
    const engagement = {
      focus: 'Shorter lead times.',
      hypotheses: ['Most of the lead time is waiting.', 'Changeovers cost a day a week'],
      unknowns: [' What does an hour of waiting cost? ', 'Who decides?'],
    };
    expect(suggest(statementsOf({ engagement }))).to.deep.equal([
      'How do we test this first: “Most of the lead time is waiting”?',
      'How could we find this out within a week: “What does an hour of waiting cost”?',
      'What would be a good first step towards this: “Shorter lead times”?',
    ]);
  });

  it('strips final punctuation in every language', () => {
    for (const ending of ['.', '?!', '。', '？', '！', '؟']) {
      const questions = suggest({ hypothesis: `Waiting${ending}` });
      expect(questions).to.deep.equal(['How do we test this first: “Waiting”?']);
    }
  });

  it('returns a general question if all optional fields are blank', () => {
    const question = 'Where would you start at Northwind Pumps, and why?';
    expect(suggest({})).to.deep.equal([question]);
  });

  it('cuts a long entry after a word and joins its lines', () => {
    const hypothesis = `Waiting\n\n${'word '.repeat(60)}`;
    const [question = ''] = suggest({ hypothesis });
    expect(question).to.match(/^How do we test this first: “Waiting( word)+…”\?$/);
    expect(question.length).to.be.at.most(200);
  });
});

describe('suggestQuestions in each interface language', () => {
  const statements = {
    en: 'Most of the lead time is waiting',
    de: 'Die meiste Zeit ist Wartezeit',
    fr: 'La plupart du temps est de l’attente',
    es: 'La mayor parte del plazo es espera',
    ja: 'リードタイムの大半は待ち時間です',
    ar: 'معظم زمن الإنجاز انتظار',
  } as const satisfies Record<Language, string>;

  for (const language of languageTags) {
    it(`quotes only statements in ${languages[language].name} on a page in ${languages[language].name}`, () => {
      const quoted = languageTags.filter((tag) => {
        const [question] = suggest({ hypothesis: statements[tag] }, language);
        return question === t('hypothesis', { quoted: statements[tag] });
      });
      expect(quoted).to.deep.equal([language]);
    });
  }

  it('quotes a statement that could be in any of the languages with Latin letters', () => {
    const expected = [t('focus', { quoted: 'Lean 2027' })];
    for (const language of ['en', 'de', 'fr', 'es'] as const)
      expect(suggest({ focus: 'Lean 2027' }, language)).to.deep.equal(expected);
  });
});

describe('loadStatements', () => {
  const owner = { userId: 'ada', organizationId: 'northwind' };
  const statements = { hypothesis: 'Most of the lead time is waiting' };

  it('returns what was stored for the user in the organization until the data of the user is deleted', () => {
    const storage = createFakeStorage();
    storeStatements(owner, statements, storage);
    expect(loadStatements(owner, storage)).to.deep.equal(statements);
    expect(loadStatements({ ...owner, organizationId: 'contoso' }, storage)).to.equal(undefined);
    expect(loadStatements({ ...owner, userId: 'bob' }, storage)).to.equal(undefined);
    deleteUserData('ada', [storage]);
    expect(loadStatements(owner, storage)).to.equal(undefined);
  });

  it('returns nothing if the stored text is damaged', () => {
    const storage = createFakeStorage();
    storage.setItem(deviceKeys.firstQuestions('ada'), '["A question?"]');
    expect(loadStatements(owner, storage)).to.equal(undefined);
  });
});
