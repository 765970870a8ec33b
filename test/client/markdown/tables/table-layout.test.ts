import { expect } from 'chai';
import { describe, it } from 'mocha';
import { isOneLine, isUnbroken, tableLayout } from '../../../../client/markdown/tables/table-layout.ts';
import { tableOf } from './table-of.ts';

const layoutOf = (...rows: readonly string[]) => tableLayout(tableOf(...rows));

describe('tableLayout', () => {
  it('bases the width of a column on its longest cell, but ignores long words', () => {
    const sentence = 'A sentence that is long enough to be read in several lines, as people do.';
    const row = `| 1 | a few words, not more than that | ${sentence} | ${'x'.repeat(300)} |`;
    expect(layoutOf('| a | b | c | d |', row).widths).to.deep.equal(['number', 'medium', 'wide', 'narrow']);
  });

  it('makes columns with a few words, or with long words in the header, wider than columns of numbers', () => {
    const named = layoutOf(
      '| A name of something | Lead time | Number of units sold | Number of units sold | c | d |',
      '| x | 12 days, or a few more | some | 1 | € 1,200 Mio. | 12 % |',
    );
    expect(named.widths).to.deep.equal(['short', 'short', 'short', 'number', 'number', 'number']);
    const weeks = layoutOf('| Name | b | c | d | e |', '| Week 12 | Zeitüberschreitung | - 1 | 鋳造工程の待ち時間 | |');
    expect(weeks.widths).to.deep.equal(['number', 'narrow', 'number', 'short', 'number']);
  });

  for (const [columns, cell, isWiderThan] of [
    [4, 'a few words', undefined],
    [7, 'a few words', 'phone'],
    [12, 'a few words', 'page'],
    [6, 'x'.repeat(90), 'page'],
    [6, 'x'.repeat(20), 'page'],
  ] as const) {
    it(`estimates that ${columns} columns of “${cell}” ${isWiderThan ? `are wider than a ${isWiderThan}` : 'fit every screen'}`, () => {
      const line = (text: string) => `|${` ${text} |`.repeat(columns)}`;
      expect(layoutOf(line('a'), line(cell)).widerThan).to.equal(isWiderThan);
    });
  }

  describe('on paper', () => {
    const leastOf = (...lines: string[]) => layoutOf(...lines).paper?.map(({ least }) => least);
    const line = (count: number, text: string) => `|${` ${text} |`.repeat(count)}`;

    it('sets no widths if every word fits on the smallest page', () => {
      expect(leastOf(line(3, 'a'), line(3, 'a few words'))).to.equal(undefined);
    });

    it('breaks words rather than numbers', () => {
      const [word = 0, number = 0] =
        leastOf(line(7, 'Responsibility'), `| Responsibility ${line(6, '1,240,000')}`) ?? [];
      expect(word).to.be.below(5);
      expect(number).to.be.above(5.5);
    });

    it('breaks numbers only if the table would otherwise be wider than the page in the smallest type', () => {
      expect(leastOf(line(14, 'a'), line(14, '1,240,000'))?.[0]).to.be.below(5);
    });
  });

  it('keeps a first column of short names on one line', () => {
    const isShort = (name: string) => layoutOf('| a | b |', `| ${name} | 1 |`, '| Week 1 | 2 |').isFirstShort;
    expect(['Week 12', 'A name that takes some room'].map(isShort)).to.deep.equal([true, false]);
  });
});

const readAsOne = [
  ...['2025-01-10', '10.01.2025', '10 January 2025', '10 de enero de 2025', '2025年1月10日', '١٠ يناير ٢٠٢٥'],
  'Q1 2026',
  ...['1 234,50 €', '1,2 Mio. EUR', '12 %', '12–15', '+49 30 1234567', 'Week 3', 'M./Albrecht', 'Nord-Süd'],
];
const short = ['Second hall', 'M. Albrecht', 'See page 3', '鋳造/工程'];
const long = ['Castings and moulds', 'From 2025-01-10 to 2025-02-28', '鋳造工程の待ち時間', 'a/'.repeat(15)];

describe('isUnbroken', () => {
  for (const text of readAsOne) it(`returns true for “${text}”`, () => expect(isUnbroken(text)).to.equal(true));
  for (const text of [...short, ...long])
    it(`returns false for “${text}”`, () => expect(isUnbroken(text)).to.equal(false));
});

describe('isOneLine', () => {
  for (const text of [...readAsOne, ...short])
    it(`returns true for “${text}”`, () => expect(isOneLine(text)).to.equal(true));
  for (const text of long) it(`returns false for “${text}”`, () => expect(isOneLine(text)).to.equal(false));
});
