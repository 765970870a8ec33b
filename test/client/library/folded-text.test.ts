import process from 'node:process';
import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { findFolded, foldText } from '../../../client/library/folded-text.ts';

function matchIn(text: string, words: string): string | undefined {
  const place = findFolded(text, foldText(words));
  return place && text.slice(place.start, place.end);
}

describe('findFolded', () => {
  for (const [text, words, match] of [
    ['Où est l’ÉTÉ?', 'ete', 'ÉTÉ'],
    ['e\u0301te\u0301 et', 'ete', 'e\u0301te\u0301'],
    ['Straße in KÖLN', 'koln', 'KÖLN'],
    ['Straße', 'STRASSE', 'Straße'],
    ['STRASSE', 'straße', 'STRASSE'],
    ['Une œuvre', 'oeuvre', 'œuvre'],
    ['ΟΔΟΣ', 'οδος', 'ΟΔΟΣ'],
    ['ο δρόμος μας', 'δρομοσ', 'δρόμος'],
    ['İstanbul', 'istanbul', 'İstanbul'],
    ['ISTANBUL', 'ıstanbul', 'ISTANBUL'],
    ['がくせい', 'がく', 'がく'],
    ['工場のｶﾀｶﾅです', 'カタカナ', 'ｶﾀｶﾅ'],
    ['工場のガスです', 'ｶﾞｽ', 'ガス'],
    ['株式会社ＡＢＣ', 'abc', 'ＡＢＣ'],
    ['abc', 'ＡＢＣ', 'abc'],
    ['the ﬁrst one', 'first', 'ﬁrst'],
    ['the ﬁrst one', 'i', 'ﬁ'],
    ['مُحَمَّد', 'محمد', 'مُحَمَّد'],
    ['في الأردن', 'الاردن', 'الأردن'],
    ['إلى آخر', 'الي اخر', 'إلى آخر'],
    ['سؤال مسئول', 'سوال', 'سؤال'],
    ['हिन्दी में', 'हिन्दी', 'हिन्दी'],
    ['한국어', '한구', '한국'],
    ['lead\ntime', 'lead time', 'lead\ntime'],
    ['a.b (c)', '(C)', '(c)'],
    ['😀 one two', 'two', 'two'],
    ['はは', 'ばば', undefined],
    ['ガス', 'カス', undefined],
    ['ｶﾞｽ', 'カ', undefined],
    ['कल', 'कि', undefined],
    ['abc', 'abd', undefined],
  ] as const) {
    it(`finds ${match === undefined ? 'nothing' : JSON.stringify(match)} for ${JSON.stringify(words)} in ${JSON.stringify(text)}`, () => {
      expect(matchIn(text, words)).to.equal(match);
    });
  }

  it('maps ranges back to the original text for arbitrary characters', () => {
    const any = fc.string({
      unit: fc.constantFrom('é', 'e\u0301', '😀', 'ß', 'ﬁ', 'ガ', 'ｶﾞ', '각', 'أ', ' ', 'x', '\ud83d'),
    });
    fc.assert(
      fc.property(any, any, (before, after) => {
        const place = findFolded(`${before}|NEEDLE|${after}`, foldText('|needle|'));
        expect(place).to.deep.equal({ start: before.length, end: before.length + 8 });
      }),
    );
  });

  it('maps ranges back after long texts with characters of two code units that fold to one', () => {
    for (const length of [998, 999, 1000, 1001]) {
      const text = `${'x'.repeat(length)}𝐀${'x'.repeat(3000)}needle`;
      expect(matchIn(text, 'needle'), `${length} characters`).to.equal('needle');
    }
  });

  it('maps ranges back after long texts with characters that fold to two', () => {
    expect(matchIn(`${'ß'.repeat(600)}needle${'x'.repeat(1000)}`, 'needle')).to.equal('needle');
  });

  it('takes time proportional to the length of the text', () => {
    for (const unit of ['word ', 'été ', '漢字', 'ｶﾞ', 'e\u0301']) {
      /** Measures the processor time of one search, in microseconds. */
      const cost = (length: number) => {
        const text = `${unit.repeat(length / unit.length)}Needle`;
        const before = process.cpuUsage();
        expect(matchIn(text, 'needle'), unit).to.equal('Needle');
        const { user, system } = process.cpuUsage(before);
        return user + system;
      };
      // The least of several measurements, because compilation and garbage collection count too.
      const leastCost = (length: number) => Math.min(...Array.from({ length: 4 }, () => cost(length)));
      // With quadratic cost the factor would be a hundred.
      expect(leastCost(1_000_000), unit).to.be.lessThan(40 * Math.max(leastCost(100_000), 5_000));
    }
  });
});
