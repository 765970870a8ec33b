import { expect } from 'chai';
import { describe, it } from 'mocha';
import { readBlocks } from '../../../../client/markdown/read-blocks.ts';
import { chartDataOf, defaultColumns, toggleColumn } from '../../../../client/markdown/tables/chart-data.ts';

/** Returns the chart of a table with these rows, such as `North | 5`. The first one is the head. */
function chartOf([head = '', ...rows]: readonly string[], defaultMark: '.' | ',' = '.') {
  const [block] = readBlocks([head, head.replace(/[^|]+/g, '-'), ...rows].join('\n'));
  if (block?.type !== 'table') throw new Error('The text is not a table.');
  return chartDataOf(block, defaultMark);
}

const valuesOf = (rows: readonly string[], defaultMark: '.' | ',') =>
  chartOf(['Plant | One | Two', ...rows], defaultMark)?.columns.map(({ values }) => values);

describe('chartDataOf', () => {
  it('takes the labels from the first column, and the numbers from each other column with a single unit', () => {
    const chart = chartOf([
      'Year | Plant | Cost   | Time   | Mixed | Gap | Start',
      '2024 | North | €1,200 | 1 day  | 5 %   | 5   | 01.02.2026',
      '2025 | South | -€0.5  | 2 days | €5    | –   | 03.02.2026',
    ]);
    expect(chart).to.deep.include({
      labels: ['2024', '2025'],
      columns: [
        { name: 'Cost', unit: '€', isUnitFirst: true, isUnitSpaced: false, values: [1200, -0.5] },
        { name: 'Time', unit: 'days', isUnitFirst: false, isUnitSpaced: true, values: [1, 2] },
      ],
    });
  });

  for (const total of ['**Total**', 'Grand total', 'Gesamt', 'Somme', 'Total general', '合計', 'المجموع']) {
    it(`leaves out the last row if its label is “${total}”`, () => {
      const chart = chartOf(['Plant | Cost', 'North | 5', 'South | 6', `${total} | €11`]);
      expect(chart?.labels).to.deep.equal(['North', 'South']);
      expect(chart?.columns[0]?.values).to.deep.equal([5, 6]);
    });
  }

  it('keeps a total that is not in the last row, and a last row such as “Total of the South”', () => {
    const chart = chartOf(['Plant | Cost', 'Total | 11', 'North | 5', 'Total of the South | 6']);
    expect(chart?.labels).to.deep.equal(['Total', 'North', 'Total of the South']);
  });

  for (const [reason, rows] of [
    ['only the first column has numbers', ['1 | North', '2 | South']],
    ['it has only one row besides the total', ['North | 5', 'Total | 5']],
    ['it has more than 1000 rows', Array.from({ length: 1001 }, (_, row) => `Row ${row} | 5`)],
  ] as const) {
    it(`returns undefined for a table if ${reason}`, () => {
      expect(chartOf(['Plant | Cost', ...rows])).to.equal(undefined);
    });
  }

  for (const [title, rows, values] of [
    ['another number in the table', ['A | 1,200 | 12.5', 'B | 9,500 | 11.5'], [1200, 9500]],
    ['a whole number of three digits in their column', ['A | 1,240 | 5', 'B | 980 | 6'], [1240, 980]],
    ["the decimal mark of the page's language", ['A | 1,200 | 5', 'B | 9,500 | 6'], [1.2, 9.5]],
  ] as const) {
    it(`resolves ambiguous numbers with ${title}`, () => {
      expect(valuesOf(rows, ',')?.[0]).to.deep.equal(values);
    });
  }

  it('leaves out a column with ambiguous numbers of several magnitudes', () => {
    expect(valuesOf(['A | €1.125M | 1', 'B | €950k | 2'], '.')).to.deep.equal([[1, 2]]);
  });
});

describe('The columns of a chart', () => {
  const columns =
    chartOf([
      'Plant | Plan     | Share | Actual | Cost',
      'North | 10 days  | 45 %  | 1 day  | €5',
      'South | 900 days | 55 %  | 2 days | €6',
    ])?.columns ?? [];
  const [plan, share, actual] = columns;
  if (!plan || !share || !actual) throw new Error('Expected columns of numbers.');

  it('are at first those with the same unit as the first column, up to five', () => {
    expect(defaultColumns(columns)).to.deep.equal([plan, actual]);
    expect(defaultColumns(Array.from({ length: 6 }, () => plan))).to.have.length(5);
  });

  it('never have different units', () => {
    expect(toggleColumn(columns, [actual], plan)).to.deep.equal([plan, actual]);
    expect(toggleColumn(columns, [plan, actual], share)).to.deep.equal([share]);
    expect(toggleColumn(columns, [plan, actual], plan)).to.deep.equal([actual]);
  });
});
