import { expect } from 'chai';
import { describe, it } from 'mocha';
import { chartDataOf, defaultColumns, toggleColumn } from '../../../../client/markdown/tables/chart-data.ts';
import { tableOf } from './table-of.ts';

const chartOf = (rows: readonly string[]) => chartDataOf(tableOf(...rows));

const valuesOf = (rows: readonly string[]) =>
  chartOf(['Plant | One | Two', ...rows])?.columns.map(({ values }) => values);

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
        { name: 'Cost', unit: '€', isUnitFirst: true, isUnitSpaced: false, quantity: '€', values: [1200, -0.5] },
        { name: 'Time', unit: 'days', isUnitFirst: false, isUnitSpaced: true, quantity: 'day', values: [1, 2] },
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
    ['a whole number in their column', ['A | 1.250 € | 5', 'B | 95 € | 6'], [1250, 95]],
    ['thousands in another column', ['A | 1,200 | 3,400', 'B | 9,500 | 95'], [1200, 9500]],
    ['a decimal number in their column', ['A | 1.250 | 3,5', 'B | 0.5 | 4,5'], [1.25, 0.5]],
  ] as const) {
    it(`resolves ambiguous numbers with ${title}`, () => {
      expect(valuesOf(rows)?.[0]).to.deep.equal(values);
    });
  }

  for (const [title, rows] of [
    ['nothing decides', ['A | 1,200 | 1', 'B | 9,500 | 2']],
    ['the table contradicts itself', ['A | 1,200 | 1', 'B | 95 | 2', 'C | 5 | 3,5']],
    ['their magnitudes differ', ['A | €1.125M | 1', 'B | €950k | 2']],
  ] as const) {
    it(`leaves out a column of ambiguous numbers if ${title}`, () => {
      expect(valuesOf(rows)).to.have.length(1);
    });
  }
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

  it('never have different units', () => {
    expect(toggleColumn(columns, [actual], plan)).to.deep.equal([plan, actual]);
    expect(toggleColumn(columns, [plan, actual], share)).to.deep.equal([share]);
    expect(toggleColumn(columns, [plan, actual], plan)).to.deep.equal([actual]);
  });

  for (const [head, names] of [
    ['Line | OEE (%) | Downtime (h) | Stops | Scrap %', ['OEE (%)', 'Scrap %']],
    ['Linie | Stunden | Prozent | Anzahl | Wartezeit in Stunden', ['Stunden', 'Wartezeit in Stunden']],
    ['Line | Plan | Actual | Cost (€) | Distance [km]', ['Plan', 'Actual']],
    ['Line | Day shift | Night shift | Plan | Actual', ['Day shift', 'Night shift', 'Plan', 'Actual']],
  ] as const) {
    it(`have the unit of their name, as in “${head}”`, () => {
      const chart = chartOf([head, 'A | 78 | 412 | 12 | 3', 'B | 81 | 380 | 9 | 2']);
      expect(defaultColumns(chart?.columns ?? []).map(({ name }) => name)).to.deep.equal(names);
    });
  }
});
