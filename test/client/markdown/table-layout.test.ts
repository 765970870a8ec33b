import { expect } from 'chai';
import { describe, it } from 'mocha';
import { readBlocks } from '../../../client/markdown/read-blocks.ts';
import { isUnbroken, tableLayout } from '../../../client/markdown/table-layout.ts';

describe('The width of a column', () => {
  it('goes by its longest text, in which one long word has no say', () => {
    const sentence = 'A sentence that is long enough to be read in several lines, as people do.';
    const [table] = readBlocks(
      [
        '| a | b | c | d |',
        '|-|-|-|-|',
        `| 1 | a few words, not more than that | ${sentence} | ${'x'.repeat(300)} |`,
      ].join('\n'),
    );
    expect(table?.type === 'table' && tableLayout(table).widths).to.deep.equal(['narrow', 'medium', 'wide', 'narrow']);
  });

  it('is more than that of a number where there are a few words, in its cells or in a long head', () => {
    const widthsOf = (...lines: string[]) => {
      const [table] = readBlocks([lines[0], '|-|-|-|-|-|', ...lines.slice(1)].join('\n'));
      return table?.type === 'table' && tableLayout(table).widths;
    };
    expect(
      widthsOf(
        '| A name of something | Lead time | Number of units sold | c | d |',
        '| x | 12 days or so | 1 | € 1,200 Mio. | 12 % |',
      ),
    ).to.deep.equal(['short', 'short', 'short', 'narrow', 'narrow']);
    expect(
      widthsOf('| Name | b | c | d | e |', '| Week 12 | Zeitüberschreitung | - 1 | 鋳造工程の待ち時間 | |'),
    ).to.deep.equal(['narrow', 'narrow', 'narrow', 'short', 'narrow']);
  });

  it('says where a table is wider than the page or a phone whatever is done', () => {
    const widerBy = (columns: number, cell: string) => {
      const line = (text: string) => `|${` ${text} |`.repeat(columns)}`;
      const [table] = readBlocks([line('a'), line('-'), line(cell)].join('\n'));
      return table?.type === 'table' && tableLayout(table).widerThan;
    };
    expect(widerBy(4, 'a few words')).to.equal(undefined);
    expect(widerBy(7, 'a few words')).to.equal('phone');
    expect(widerBy(12, 'a few words')).to.equal('page');
    expect(widerBy(6, 'x'.repeat(90))).to.equal('page');
    expect(widerBy(6, 'x'.repeat(20))).to.equal('page');
  });

  it('is that of its longest line where the first column names its rows in a few letters', () => {
    const isShort = (name: string) => {
      const [table] = readBlocks(['| a | b |', '|-|-|', `| ${name} | 1 |`, '| Week 1 | 2 |'].join('\n'));
      return table?.type === 'table' && tableLayout(table).isFirstShort;
    };
    expect(['Week 12', 'A name that takes some room'].map(isShort)).to.deep.equal([true, false]);
  });
});

describe('A cell on one line', () => {
  for (const text of [
    ...[
      '2025-01-10',
      '10.01.2025',
      '10 January 2025',
      '10 de enero de 2025',
      '2025年1月10日',
      '١٠ يناير ٢٠٢٥',
      'Q1 2026',
    ],
    '1 234,50 €',
    '1,2 Mio. EUR',
    '12 %',
    '12–15',
    '+49 30 1234567',
    'Week 3',
  ]) {
    it(`is ${text}`, () => {
      expect(isUnbroken(text)).to.equal(true);
    });
  }

  for (const text of ['Second hall', '12 days or so', 'From 2025-01-10 to 2025-02-28', 'See page 3']) {
    it(`is not ${text}`, () => {
      expect(isUnbroken(text)).to.equal(false);
    });
  }
});
