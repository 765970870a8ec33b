import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createTranslator } from 'use-intl/core';
import { formatDuration } from '../../../client/controls/duration.ts';
import { loadMessages } from '../../../client/language/interface-language.ts';
import { languageTags } from '../../../client/language/languages.ts';
import { messages } from '../../../client/language/messages/en.ts';

const t = createTranslator({ locale: 'en', messages, namespace: 'duration' });

describe('formatDuration', () => {
  for (const [seconds, words] of [
    [0, '0 s'],
    [42, '42 s'],
    [60, '1 min 00 s'],
    [725, '12 min 05 s'],
    [3599, '59 min 59 s'],
    [3600, '1 h 00 min'],
    [3601, '1 h 01 min'],
    [40_000, '11 h 07 min'],
    [86_400, '24 h 00 min'],
  ] as const) {
    it(`formats ${seconds} seconds as “${words}”`, () => {
      expect(formatDuration(t, seconds)).to.equal(words);
    });
  }

  for (const locale of languageTags) {
    it(`puts the larger unit first in the language “${locale}”`, async () => {
      const translate = createTranslator({ locale, messages: await loadMessages(locale), namespace: 'duration' });
      const numbersIn = (seconds: number) =>
        formatDuration(translate, seconds)
          .match(/\p{N}+/gu)
          ?.map(Number);
      expect(numbersIn(40_000)).to.deep.equal([11, 7]);
      expect(numbersIn(725)).to.deep.equal([12, 5]);
    });
  }
});
