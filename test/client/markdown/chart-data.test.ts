import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { chartDataOf, defaultColumns, toggleColumn } from '../../../client/markdown/chart-data.ts';
import { readBlocks } from '../../../client/markdown/read-blocks.ts';
import { decimalMarkIn, decimalMarkOf, numberOf, readNumber } from '../../../client/markdown/read-number.ts';
import { processorMilliseconds } from '../../support/processor-time.ts';

function chartOf(rows: readonly (readonly string[])[], usual: '.' | ',' = '.') {
  const [head = [], ...others] = rows;
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const [block] = readBlocks([line(head), line(head.map(() => '-')), ...others.map(line)].join('\n'));
  if (block?.type !== 'table') throw new Error('This is no table.');
  return chartDataOf(block, usual);
}

describe('readNumber and numberOf', () => {
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
    ['−5', '.', -5, ''],
    ['-$5', '.', -5, '$'],
    ['(5)', '.', -5, ''],
    ['1 234,5', '.', 1234.5, ''],
    ['1’234.5', '.', 1234.5, ''],
    ['١٢٣', '.', 123, ''],
    ['١٢٫٥٪', '.', 12.5, '%'],
    ['€950k', '.', 950_000, '€'],
    ['€1.1M', '.', 1_100_000, '€'],
    ['£5m', '.', 5_000_000, '£'],
    ['$2.5B', '.', 2_500_000_000, '$'],
    ['$1.2T', '.', 1_200_000_000_000, '$'],
    ['US$ 3bn', '.', 3_000_000_000, 'US$'],
    ['2,4 Mio. €', ',', 2_400_000, '€'],
    ['3 Mrd. EUR', ',', 3_000_000_000, 'EUR'],
    ['950 k€', ',', 950_000, '€'],
    ['1.2 million', '.', 1_200_000, ''],
    ['(€1.2M)', '.', -1_200_000, '€'],
    ['5 m', '.', 5, 'm'],
    ['5 km', '.', 5, 'km'],
    ['300 K', '.', 300, 'K'],
    ['300K', '.', 300_000, ''],
    ['1.2B', '.', 1_200_000_000, ''],
    ['120 €/t', '.', 120, '€/t'],
    ['500 T€', '.', 500, 'T€'],
    ['12 m²', '.', 12, 'm²'],
    ['1.5億円', '.', 150_000_000, '円'],
    ['9,500万円', '.', 95_000_000, '円'],
    ['¥3千', '.', 3000, '¥'],
    ['2千万円', '.', 20_000_000, '円'],
    ['1.2兆円', '.', 1_200_000_000_000, '円'],
    ['1.2亿元', '.', 120_000_000, '元'],
    ['3万台', '.', 30_000, '台'],
    ['1.5억 원', '.', 150_000_000, '원'],
    ['9,500만원', '.', 95_000_000, '원'],
    ['2조', '.', 2_000_000_000_000, ''],
    ['１，２００円', '.', 1200, '円'],
    ['（１２．５％）', '.', -12.5, '%'],
    ['￥５００', '.', 500, '¥'],
    ['₹5 lakh', '.', 500_000, '₹'],
    ['₹ 1.5 Cr', '.', 15_000_000, '₹'],
    ['Rs. 2 crore', '.', 20_000_000, 'Rs.'],
    ['₹12,34,567.5', '.', 1_234_567.5, '₹'],
    ['१२३', '.', 123, ''],
    ['\u200E-5%', '.', -5, '%'],
    ['5 L', '.', 5, 'L'],
  ] as const) {
    it(`read ${written} as ${value} with the default decimal mark ${usual}`, () => {
      const number = readNumber(written);
      if (number === undefined) throw new Error('It was not read.');
      expect(numberOf(number, decimalMarkIn(number) ?? usual)).to.equal(value);
      expect(number.unit).to.equal(unit);
    });
  }

  for (const text of [
    '',
    'a',
    '5 large apples',
    '1-2',
    '2026-01',
    'Week 3',
    '1.2.',
    '--5',
    '5 %%',
    '€5 %',
    '€5 h',
    '€5 €',
    '5 t €',
    '1億2,000万円',
    '€5 lakh crore',
    `-${' '.repeat(4000)}5`,
  ]) {
    it(`find no number in ${JSON.stringify(text)}`, () => {
      expect(readNumber(text)).to.equal(undefined);
    });
  }

  it('reject long texts and texts full of spaces in linear time', () => {
    const read = (spaces: number) => processorMilliseconds(() => readNumber(`-${' '.repeat(spaces)}x`));
    expect(read(4000) + read(57)).to.be.lessThan(50);
  });

  it("read an ambiguous number by the decimal mark of the page's language", () => {
    expect(['en', 'de', 'fr', 'es', 'ja', 'ar'].map(decimalMarkOf)).to.deep.equal(['.', ',', ',', ',', '.', '.']);
  });
});

describe('chartDataOf', () => {
  const things = (head: readonly string[], ...rows: readonly string[][]) => chartOf([head, ...rows]);

  it('returns each column of numbers with its unit, and null for cells without a number', () => {
    expect(
      things(['Plant', 'Note', 'Cost', 'Saved'], ['North', 'old', '€1,200', '10.50 %'], ['South', 'new', '€900', '–']),
    ).to.deep.equal({
      labels: ['North', 'South'],
      isTime: false,
      columns: [
        { name: 'Cost', unit: '€', isUnitFirst: true, isUnitSpaced: false, values: [1200, 900] },
        { name: 'Saved', unit: '%', isUnitFirst: false, isUnitSpaced: true, values: [10.5, null] },
      ],
    });
  });

  it('reads a mark before three digits as a thousands separator if the table has a whole number of three digits without one', () => {
    const revenues = [
      ['Plant', 'Before', 'After'],
      ['North', '1,240', '1,364'],
      ['South', '980', '1,931'],
    ];
    expect(chartOf(revenues, ',')?.columns.map(({ values }) => values)).to.deep.equal([
      [1240, 980],
      [1364, 1931],
    ]);
    const inGerman = revenues.map((row) => row.map((text) => text.replace(',', '.')));
    expect(chartOf(inGerman, '.')?.columns[0]?.values).to.deep.equal([1240, 980]);
  });

  it('returns columns of different units, of which the default ones share an axis', () => {
    const data = things(
      ['Plant', 'Before', 'Share', 'After', 'Count', 'Cost', 'All'],
      ['A', '10 days', '45 %', '8 days', '3', '€900', '1,200 days'],
      ['B', '1 day', '55 %', '2 days', '4', '€1.1M', '800 days'],
    );
    expect(data?.columns.map(({ unit }) => unit)).to.deep.equal(['days', '%', 'days', '', '€', 'days']);
    expect(data && defaultColumns(data.columns).map(({ name }) => name)).to.deep.equal(['Before', 'After']);
  });

  it('distinguishes rows that are steps in time', () => {
    for (const labels of [
      ['Week 1', 'Week 2', 'Week 3'],
      ['2024', '2025', '2026'],
      ['Jan', 'Feb', 'Mar'],
      ['3 May', '10 May', '17 May'],
      ['Q1 2026', 'Q2 2026', 'Q3 2026'],
      ['2026-01-01', '2026-02-01', '2026-03-01'],
    ]) {
      const data = things(['When', 'Count'], ...labels.map((label, index) => [label, String(index)]));
      expect(data, labels[0]).to.include({ isTime: true }).and.deep.include({ labels });
    }
  });

  it('ignores columns of months, years and row numbers', () => {
    const measures = (...table: Parameters<typeof things>) => things(...table)?.columns.map(({ name }) => name);
    expect(measures(['月', '売上'], ['1月', '1.5億円'], ['2月', '9,500万円'])).to.deep.equal(['売上']);
    expect(things(['月', '売上'], ['1月', '1.5億円'], ['2月', '9,500万円'])?.columns[0]?.values).to.deep.equal([
      150_000_000, 95_000_000,
    ]);
    expect(measures(['月', '売上'], ['1月', '1億2,000万円'], ['2月', '9,500万円'])).to.equal(undefined);
    expect(measures(['월', '매출'], ['1월', '1.5억 원'], ['2월', '9,500만 원'])).to.deep.equal(['매출']);
    expect(measures(['No.', 'What'], ['1', 'Castings'], ['2', 'Moulds'])).to.equal(undefined);
    expect(measures(['番号', '工場', '費用'], ['１', '北', '１，２００円'], ['２', '南', '９００円'])).to.deep.equal([
      '費用',
    ]);
    expect(measures(['Plant', 'Rank', 'Cost'], ['A', '2', '5'], ['B', '1', '6'])).to.deep.equal(['Cost']);
    expect(measures(['Plant', 'Year', 'Cost'], ['A', '2019', '5'], ['B', '1998', '6'])).to.deep.equal(['Cost']);
    expect(measures(['Dose', 'Plant'], ['1', 'A'], ['3', 'B'])).to.deep.equal(['Dose']);
  });

  for (const total of [
    'Total',
    '**Total**',
    'Grand total',
    'Summe',
    'Gesamt',
    'Total général',
    'Totaux',
    'Subtotal',
    'Sub-total:',
    'Sum',
    'Sous-total',
    'Suma',
    'Total (all plants)',
    'Total 2026',
    'Gesamtsumme',
    'Zwischensumme',
    'Totale generale',
    '合計',
    '総計',
    '小計',
    '合計（税込）',
    '合计',
    '总计',
    '합계',
    'المجموع',
    'الإجمالي',
  ]) {
    it(`leaves out the row ${total}`, () => {
      const data = things(['Plant', 'Cost'], ['North', '5'], ['South', '6'], [total, '11']);
      expect(data?.labels).to.deep.equal(['North', 'South']);
      expect(data?.columns[0]?.values).to.deep.equal([5, 6]);
    });
  }

  it('keeps a row whose name only starts like that of a total', () => {
    const data = things(['Plant', 'Cost'], ['North', '5'], ['South', '6'], ['Totality Ltd', '11']);
    expect(data?.labels).to.have.length(3);
  });

  it('returns undefined if the labels of the rows have several units', () => {
    const measures = (...names: string[]) =>
      things(['What', 'Before', 'After'], ...names.map((name) => [name, '5', '6']));
    expect(measures('Lead time (days)', 'Cost (€)')).to.equal(undefined);
    expect(measures('Cost of castings (€)', 'Cost of moulds (€)')?.labels).to.have.length(2);
    expect(measures('North (old)', 'South (new)')?.labels).to.have.length(2);
  });

  it('returns undefined if a column of units has several units', () => {
    const measures = (head: string, ...units: string[]) =>
      things(['What', head, 'Value'], ...units.map((unit, row) => [`Row ${row}`, unit, '5']));
    for (const head of ['Unit', 'Einheit', 'Unité', 'Unidad', '単位', 'الوحدة'])
      expect(measures(head, 'days', '€'), head).to.equal(undefined);
    expect(measures('Unit', '€', '€')?.labels).to.have.length(2);
    expect(measures('Owner', 'Weber', 'Brandt')?.labels).to.have.length(2);
  });

  it('selects default columns that measure the same quantity', () => {
    const first = (head: string[], ...rows: string[][]) =>
      defaultColumns(things(head, ...rows)?.columns ?? []).map(({ name }) => name);
    const values = ['5', '6', '7'];
    expect(first(['Plant', 'Cost (€)', 'Share (%)'], ['A', ...values], ['B', ...values])).to.deep.equal(['Cost (€)']);
    expect(first(['Plant', 'Orders', 'Days'], ['A', ...values], ['B', ...values])).to.deep.equal(['Orders']);
    expect(first(['Plant', '2024', '2025'], ['A', ...values], ['B', ...values])).to.deep.equal(['2024', '2025']);
    expect(first(['Plant', 'Planned cost', 'Cost 2025'], ['A', ...values], ['B', ...values])).to.have.length(2);
    expect(first(['Plant', 'Before (h)', 'After (h)'], ['A', ...values], ['B', ...values])).to.have.length(2);
    expect(first(['Plan', 'First', 'Then'], ['A', '1 week', '2 weeks'], ['B', '1 week', '3 weeks'])).to.have.length(2);
  });

  it('never shows columns of different units together', () => {
    const columns =
      things(['Plant', 'Cost', 'Share', 'Price (€)'], ['A', '€5', '4 %', '6'], ['B', '€6', '5 %', '7'])?.columns ?? [];
    const [cost, share, price] = columns;
    if (!cost || !share || !price) throw new Error('The table has three columns of numbers.');
    expect(toggleColumn(columns, [price], cost)).to.deep.equal([cost, price]);
    expect(toggleColumn(columns, [cost, price], share)).to.deep.equal([share]);
    expect(toggleColumn(columns, [cost, price], cost)).to.deep.equal([price]);
  });

  it('takes its labels from the first column without numbers, or else from the first column or the row number', () => {
    const namesOf = (...table: Parameters<typeof things>) => {
      const data = things(...table);
      return data && [...data.labels, ...data.columns.map(({ name }) => name)];
    };
    expect(namesOf(['#', 'Plant', 'Cost'], ['1', 'A', '5'], ['2', 'B', '6'])).to.deep.equal(['A', 'B', 'Cost']);
    expect(namesOf(['Days', 'Plant', 'Cost'], ['5', 'A', '5'], ['2', 'B', '6'])).to.deep.equal([
      'A',
      'B',
      'Cost',
      'Days',
    ]);
    expect(namesOf(['Dose', 'Effect'], ['1.5', '20'], ['2.5', '30'])).to.deep.equal(['1.5', '2.5', 'Effect']);
    expect(namesOf(['Cost'], ['5'], ['6'])).to.deep.equal(['1', '2', 'Cost']);
  });

  it('reads ambiguous numbers by an unambiguous one of the column, or else of the table', () => {
    const valuesOf = (cells: string[], others: string[]) => {
      const rows = cells.map((cell, index) => [`Plan ${index}`, cell, others[index] ?? '']);
      return chartOf([['Plan', 'Cost', 'Days'], ...rows], ',')?.columns[0]?.values;
    };
    expect(valuesOf(['1,200', '900'], ['12.5', '11'])).to.deep.equal([1200, 900]);
    expect(valuesOf(['1.234', '1.234,50'], ['12.5', '11'])).to.deep.equal([1234, 1234.5]);
    expect(valuesOf(['1,200', '9,500'], ['12', '11'])).to.deep.equal([1.2, 9.5]);
  });

  it('leaves out columns with several units or ambiguous magnitudes', () => {
    const valuesOf = (...cells: string[]) =>
      chartOf([['Option', 'Cost'], ...cells.map((cell, index) => [`Plan ${index}`, cell])], ',')?.columns[0]?.values;
    expect(valuesOf('0', '€1.2M')).to.deep.equal([0, 1_200_000]);
    expect(valuesOf('950K', '1.1M')).to.deep.equal([950_000, 1_100_000]);
    expect(valuesOf('5', '€1.2M')).to.equal(undefined);
    expect(valuesOf('5 m', '3k')).to.equal(undefined);
    expect(valuesOf('€5', '$3M')).to.equal(undefined);
    expect(valuesOf('300 K', '5M')).to.equal(undefined);
    expect(valuesOf('€1.125M', '€950k')).to.equal(undefined);
    expect(valuesOf('€1.125M', '€0.9M', '€950k')).to.deep.equal([1_125_000, 900_000, 950_000]);
  });

  it('returns the values of the table for every magnitude and position of the currency', () => {
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
        const values = chart.columns[0]?.values;
        expect(values).to.deep.equal(column.map(amountOf));
      }),
    );
  });

  for (const [title, rows] of [
    [
      'no column of numbers',
      [
        ['A', 'B'],
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'more words than numbers',
      [
        ['A', 'B'],
        ['a', '1'],
        ['b', '2'],
        ['c', 'two'],
        ['d', 'to be seen'],
        ['e', 'unknown'],
      ],
    ],
    [
      'one number',
      [
        ['A', 'B'],
        ['a', '1'],
      ],
    ],
  ] as const) {
    it(`returns undefined for a table with ${title}`, () => {
      expect(chartOf(rows)).to.equal(undefined);
    });
  }
});
