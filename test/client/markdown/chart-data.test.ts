import { expect } from 'chai';
import fc from 'fast-check';
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
    ['€950k', '.', 950_000, '€'],
    ['€1.1M', '.', 1_100_000, '€'],
    ['-$800K', '.', -800_000, '$'],
    ['£5m', '.', 5_000_000, '£'],
    ['$2.5B', '.', 2_500_000_000, '$'],
    ['$1.2T', '.', 1_200_000_000_000, '$'],
    ['US$ 3bn', '.', 3_000_000_000, 'US$'],
    ['2,4 Mio. €', ',', 2_400_000, '€'],
    ['3 Mrd. EUR', ',', 3_000_000_000, 'EUR'],
    ['950 k€', ',', 950_000, '€'],
    ['1,1 M€', ',', 1_100_000, '€'],
    ['1.2M USD', '.', 1_200_000, 'USD'],
    ['1.2 million', '.', 1_200_000, ''],
    ['5k', '.', 5000, ''],
    ['(€1.2M)', '.', -1_200_000, '€'],
    ['5 m', '.', 5, 'm'],
    ['5 km', '.', 5, 'km'],
    ['5 kg', '.', 5, 'kg'],
    ['300 K', '.', 300, 'K'],
    ['5M', '.', 5, 'M'],
  ] as const) {
    it(`is ${value} where it is written ${written} and ${usual} usually stands before the fraction`, () => {
      const number = readNumber(written);
      if (number === undefined) throw new Error('It was not read.');
      expect(numberOf(number, decimalMarkOf([number], usual))).to.equal(value);
      expect(number.unit).to.equal(unit);
    });
  }

  for (const text of [
    '',
    'a',
    '5 apples',
    '1-2',
    '2026-01',
    'Week 3',
    '1.2.',
    '--5',
    '5 %%',
    '€5 %',
    '€5 h',
    '€5 €',
    '500 T€',
    '5 m€',
    '1.2B',
    '5 t €',
  ]) {
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

  it('compares amounts by their magnitude, wherever their currency stands', () => {
    const rows = [
      ['Option', 'Cost', 'Benefit'],
      ['Keep', '€950k', '1,1 M€'],
      ['Rebuild', '€2.4M', '3 Mio. €'],
      ['Buy', '€1.8M', '€700k'],
    ];
    expect(chartsIn(rows)).to.deep.equal([
      {
        kind: 'bars',
        labels: ['Keep', 'Rebuild', 'Buy'],
        unit: '€',
        series: [
          { name: 'Cost', values: [950_000, 2_400_000, 1_800_000] },
          { name: 'Benefit', values: [1_100_000, 3_000_000, 700_000] },
        ],
      },
    ]);
  });

  it('takes a letter that can also be a unit for a magnitude only where not all numbers of the column have it', () => {
    const valuesOf = (first: string, second: string) => {
      const chart = chartOf([
        ['Name', 'Count'],
        ['a', first],
        ['b', second],
      ]);
      return chart && { unit: chart.unit, values: chart.series[0]?.values };
    };
    expect(valuesOf('300K', '5K')).to.deep.equal({ unit: 'K', values: [300, 5] });
    expect(valuesOf('950K', '1.1M')).to.deep.equal({ unit: '', values: [950_000, 1_100_000] });
    expect(valuesOf('850', '1.2K')).to.deep.equal({ unit: '', values: [850, 1200] });
    expect(valuesOf('950k', '1.1M')).to.deep.equal({ unit: '', values: [950_000, 1_100_000] });
    expect(valuesOf('0', '300 K')).to.deep.equal({ unit: 'K', values: [0, 300] });
    expect(valuesOf('0', '€1.2M')).to.deep.equal({ unit: '€', values: [0, 1_200_000] });
    expect(valuesOf('5', '€1.2M')).to.equal(undefined);
    expect(valuesOf('5 m', '3k')).to.equal(undefined);
    expect(valuesOf('€5', '$3M')).to.equal(undefined);
    expect(valuesOf('€5M', '3M')).to.equal(undefined);
  });

  it('is none where amounts of several magnitudes can be read in two ways', () => {
    const costs = (...cells: string[]) => [['Option', 'Cost'], ...cells.map((cell, index) => [`Plan ${index}`, cell])];
    expect(chartOf(costs('€1.125M', '€950k'), ',')).to.equal(undefined);
    expect(chartOf(costs('€1.125M', '€0.9M', '€950k'), ',')?.series[0]?.values).to.deep.equal([
      1_125_000, 900_000, 950_000,
    ]);
  });

  it('never has other figures than the table, whatever the magnitudes and the places of the currency', () => {
    const exponents = { '': 0, k: 3, K: 3, M: 6, bn: 9, 'Mio.': 6 } as const;
    const amounts = fc.record({
      tenths: fc.integer({ min: 1, max: 9999 }),
      magnitude: fc.constantFrom(...(Object.keys(exponents) as (keyof typeof exponents)[])),
      currency: fc.constantFrom('€', '$', ''),
      isBefore: fc.boolean(),
      isNegative: fc.boolean(),
    });
    type Amount = typeof amounts extends fc.Arbitrary<infer Value> ? Value : never;
    const written = ({ tenths, magnitude, currency, isBefore, isNegative }: Amount) => {
      const amount = `${(tenths / 10).toFixed(1)}${magnitude}`;
      return `${isNegative ? '-' : ''}${isBefore ? `${currency}${amount}` : `${amount} ${currency}`}`;
    };
    const amountOf = ({ tenths, magnitude, isNegative }: Amount) =>
      Number(`${isNegative ? '-' : ''}${tenths}e${exponents[magnitude] - 1}`);
    const columns = fc.oneof(
      fc.array(amounts, { minLength: 2, maxLength: 6 }),
      fc
        .tuple(fc.constantFrom('€', '$', ''), fc.array(amounts, { minLength: 2, maxLength: 6 }))
        .map(([currency, column]) => column.map((amount) => ({ ...amount, currency }))),
    );
    fc.assert(
      fc.property(columns, (column) => {
        const chart = chartOf([['Plan', 'Cost'], ...column.map((amount, index) => [`Plan ${index}`, written(amount)])]);
        if (chart === undefined) return;
        expect(new Set(column.map(({ currency }) => currency)).size).to.equal(1);
        // Where all have the same letter, it may stay the unit.
        const told = chart.unit === 'K' || chart.unit === 'M' ? exponents[chart.unit] : 0;
        const values = chart.series[0]?.values.map((value) => Number(`${value}e${told}`));
        expect(values).to.deep.equal(column.map(amountOf));
      }),
    );
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
