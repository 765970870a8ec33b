import { expect } from 'chai';
import { describe, it } from 'mocha';
import { chartsOf } from '../../../client/markdown/chart-data.ts';
import { chartExtent } from '../../../client/markdown/chart-extent.ts';
import { readBlocks } from '../../../client/markdown/read-blocks.ts';
import { decimalMarkOf, numberOf, readNumber } from '../../../client/markdown/read-number.ts';
import { usualDecimalMark } from '../../../client/markdown/usual-decimal-mark.ts';

function chartsIn(rows: readonly string[][], usual: '.' | ',' = '.') {
  const [head = [], ...others] = rows;
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const [block] = readBlocks([line(head), line(head.map(() => '-')), ...others.map(line)].join('\n'));
  if (block?.type !== 'table') throw new Error('This is no table.');
  return chartsOf(block, usual);
}

const chartOf = (...table: Parameters<typeof chartsIn>) => chartsIn(...table)[0];

describe('A number in a table', () => {
  for (const [written, usual, value, unit] of [
    ['1,234.5', '.', 1234.5, ''],
    ['1.234,5', '.', 1234.5, ''],
    ['1,234,567', ',', 1234567, ''],
    ['1,234', '.', 1234, ''],
    ['1,234', ',', 1.234, ''],
    ['1.234', ',', 1234, ''],
    ['3.40', ',', 3.4, ''],
    ['0,5', '.', 0.5, ''],
    ['12 %', '.', 12, '%'],
    ['€ 3.40', '.', 3.4, '€'],
    ['3,40 €', '.', 3.4, '€'],
    ['−5', '.', -5, ''],
    ['-$5', '.', -5, '$'],
    ['(5)', '.', -5, ''],
    ['1 234,5', '.', 1234.5, ''],
    ['1’234.5', '.', 1234.5, ''],
    ['١٢٣', '.', 123, ''],
    ['١٢٫٥٪', '.', 12.5, '%'],
  ] as const) {
    it(`is ${value} where it is written ${written} and ${usual} usually stands before the fraction`, () => {
      const number = readNumber(written);
      if (number === undefined) throw new Error('It was not read.');
      expect(numberOf(number, decimalMarkOf([number], usual))).to.equal(value);
      expect(number.unit).to.equal(unit);
    });
  }

  for (const text of ['', 'a', '5 apples', '1-2', '2026-01', 'Week 3', '1.2.', '--5', '5 %%']) {
    it(`is not read of ${JSON.stringify(text)}`, () => {
      expect(readNumber(text)).to.equal(undefined);
    });
  }

  it('is read as the language of the page writes it where it can be read in two ways', () => {
    expect(['en', 'de', 'fr', 'es', 'ja', 'ar'].map(usualDecimalMark)).to.deep.equal(['.', ',', ',', ',', '.', '.']);
  });
});

describe('The chart of a table', () => {
  it('is made of its columns of numbers, with bars for things', () => {
    expect(
      chartOf([
        ['Plant', 'Note', 'Cost', 'Saved'],
        ['North', 'old', '€1,200', '€10.50'],
        ['South', 'new', '€900', '–'],
      ]),
    ).to.deep.equal({
      kind: 'bars',
      labels: ['North', 'South'],
      unit: '€',
      series: [{ name: 'Cost', values: [1200, 900] }],
    });
  });

  it('is a line for steps in time', () => {
    for (const labels of [
      ['Week 1', 'Week 2', 'Week 3'],
      ['2024', '2025', '2026'],
      ['Jan', 'Feb', 'Mar'],
      ['Q1 2026', 'Q2 2026', 'Q3 2026'],
      ['2026-01-01', '2026-02-01', '2026-03-01'],
    ]) {
      const rows = labels.map((label, index) => [label, String(index)]);
      expect(chartOf([['When', 'Count'], ...rows])?.kind, labels[0]).to.equal('line');
    }
  });

  it('reads a column as the clearest number of the table is written, where its own tell nothing', () => {
    const rows = [
      ['Plant', 'Days', 'Cost'],
      ['A', '12.5', '1,200'],
      ['B', '11', '900'],
    ];
    expect(chartsIn(rows, ',')[1]?.series).to.deep.equal([{ name: 'Cost', values: [1200, 900] }]);
  });

  it('has the columns of one unit and of a size; the others have charts of their own', () => {
    const charts = chartsIn([
      ['Plant', 'Share', 'Count', 'Before', 'Cost', 'Loss'],
      ['A', '5 %', '1', '8', '1,200', '-900'],
      ['B', '6 %', '2', '9', '900', '0'],
    ]);
    expect(charts.map(({ series }) => series.map(({ name }) => name))).to.deep.equal([
      ['Share'],
      ['Count', 'Before'],
      ['Cost', 'Loss'],
    ]);
  });

  it('reads a column as its clearest number is written', () => {
    const chart = chartOf([
      ['Plant', 'Cost'],
      ['A', '1.234'],
      ['B', '1.234,50'],
    ]);
    expect(chart?.series[0]?.values).to.deep.equal([1234, 1234.5]);
  });

  for (const [what, rows] of [
    [
      'no column of numbers',
      [
        ['A', 'B'],
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'text among its numbers',
      [
        ['A', 'B'],
        ['a', '1'],
        ['c', 'two'],
      ],
    ],
    [
      'one row',
      [
        ['A', 'B'],
        ['a', '1'],
      ],
    ],
    [
      'numbers for labels',
      [
        ['A', 'B'],
        ['1.5', '1'],
        ['2.5', '2'],
      ],
    ],
  ] as const) {
    it(`is none where a table has ${what}`, () => {
      expect(chartOf(rows.map((row) => [...row]))).to.equal(undefined);
    });
  }

  it('tells its lowest and its highest point', () => {
    const chart = chartOf([
      ['Plant', 'Cost'],
      ['A', '3'],
      ['B', '-1'],
      ['C', '9'],
    ]);
    expect(chart && chartExtent(chart)).to.deep.equal({
      lowest: { label: 'B', name: 'Cost', value: -1 },
      highest: { label: 'C', name: 'Cost', value: 9 },
    });
  });
});
