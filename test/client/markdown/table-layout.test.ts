import { expect } from 'chai';
import { describe, it } from 'mocha';
import { readBlocks } from '../../../client/markdown/read-blocks.ts';
import { isOneLine, isUnbroken, tableLayout } from '../../../client/markdown/table-layout.ts';

/** The layout of a table whose head is the first line. */
function layoutOf(head: string, ...rows: string[]) {
  const [table] = readBlocks([head, head.replace(/[^|]+/g, '-'), ...rows].join('\n'));
  if (table?.type !== 'table') throw new Error('This is no table.');
  return tableLayout(table);
}

describe('The width of a column', () => {
  it('goes by its longest text, in which one long word has no say', () => {
    const sentence = 'A sentence that is long enough to be read in several lines, as people do.';
    const row = `| 1 | a few words, not more than that | ${sentence} | ${'x'.repeat(300)} |`;
    expect(layoutOf('| a | b | c | d |', row).widths).to.deep.equal(['number', 'medium', 'wide', 'narrow']);
  });

  it('is more than that of a number where there are a few words in its cells, or in a long head of words', () => {
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
    it(`makes ${columns} columns of ${cell} wider than ${isWiderThan ?? 'nothing'} whatever is done`, () => {
      const line = (text: string) => `|${` ${text} |`.repeat(columns)}`;
      expect(layoutOf(line('a'), line(cell)).widerThan).to.equal(isWiderThan);
    });
  }

  it('is that of its longest line where the first column names its rows in a few letters', () => {
    const isShort = (name: string) => layoutOf('| a | b |', `| ${name} | 1 |`, '| Week 1 | 2 |').isFirstShort;
    expect(['Week 12', 'A name that takes some room'].map(isShort)).to.deep.equal([true, false]);
  });
});

const readAsOne = [
  '2025-01-10',
  '10.01.2025',
  '10 January 2025',
  '10 de enero de 2025',
  '2025年1月10日',
  '١٠ يناير ٢٠٢٥',
  'Q1 2026',
  '1 234,50 €',
  '1,2 Mio. EUR',
  '12 %',
  '12–15',
  '+49 30 1234567',
  'Week 3',
  'M./Albrecht',
  'Nord-Süd',
];
const short = ['Second hall', 'M. Albrecht', 'See page 3', '鋳造/工程'];
const long = ['Castings and moulds', 'From 2025-01-10 to 2025-02-28', '鋳造工程の待ち時間', 'a/'.repeat(15)];

describe('A head on one line', () => {
  for (const text of readAsOne) it(`is ${text}`, () => expect(isUnbroken(text)).to.equal(true));
  for (const text of [...short, ...long]) it(`is not ${text}`, () => expect(isUnbroken(text)).to.equal(false));
});

describe('A cell on one line', () => {
  for (const text of [...readAsOne, ...short]) it(`is ${text}`, () => expect(isOneLine(text)).to.equal(true));
  for (const text of long) it(`is not ${text}`, () => expect(isOneLine(text)).to.equal(false));
});
