import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createElement, type FunctionComponent } from 'react';
import { messages } from '../../../../client/language/messages/en.ts';
import { type ChartData, chartDataOf } from '../../../../client/markdown/tables/chart-data.ts';
import { importClient } from '../../../support/import-client.ts';
import { htmlInEnglish } from '../../in-english.ts';
import { tableOf } from './table-of.ts';

const { default: ChartView } = await importClient<{ default: FunctionComponent<{ data: ChartData }> }>(
  'markdown/tables/chart-view.tsx',
);

function chartOf(...rows: string[]) {
  const data = chartDataOf(tableOf(...rows));
  if (data === undefined) throw new Error('The table has no chart.');
  const html = htmlInEnglish(createElement(ChartView, { data }));
  const all = (pattern: RegExp) => Array.from(html.matchAll(pattern), ([, found = '']) => found);
  return {
    description: all(/role="img" aria-label="([^"]*)"/g)[0],
    titles: all(/class="chart-bar[^"]*"[^>]* title="([^"]*)"/g),
    values: all(/class="chart-value[^"]*"><bdi>([^<]*)/g),
    shares: all(/class="chart-bar[^"]*" style="--share:([^;"]*)/g).map(Number),
    axis: all(/<span><bdi>([^<]*)<\/bdi><\/span>/g),
    columns: all(/<input type="checkbox"([^>]*)\/>/g).map((attributes) => ({
      isChosen: attributes.includes('checked'),
      isDisabled: attributes.includes('disabled'),
    })),
  };
}

describe('ChartView', () => {
  it('draws each number to scale on an axis that has round numbers and starts at zero', () => {
    const chart = chartOf('Site | Cost', 'A | 5', 'B | 20', 'C | 13');
    expect(chart.axis).to.deep.equal(['0', '5', '10', '15', '20']);
    expect(chart.shares).to.deep.equal([25, 100, 65]);
    expect(chart.values).to.deep.equal(['5', '20', '13']);
    expect(chart.titles).to.deep.equal(['5 (A)', '20 (B)', '13 (C)']);
    expect(chartOf('Site | Cost', 'A | 3', 'B | 7').axis).to.deep.equal(['0', '2', '4', '6', '8']);
    expect(chartOf('Site | Cost', 'A | 0.3', 'B | 0.4').axis).to.deep.equal(['0', '0.1', '0.2', '0.3', '0.4']);
  });

  it('extends the axis below zero for negative numbers', () => {
    const chart = chartOf('Site | Change', 'A | -10', 'B | 30');
    expect(chart.axis).to.deep.equal(['-10', '0', '10', '20', '30']);
    expect(chart.shares).to.deep.equal([0, 100]);
    expect(chartOf('Site | Change', 'A | -10', 'B | -40').axis).to.deep.equal(['-40', '-30', '-20', '-10', '0']);
    expect(chartOf('Site | Change', 'A | 0', 'B | 0').axis[0]).to.equal('0');
  });

  it('describes the columns, the rows and the extremes to screen readers', () => {
    expect(chartOf('Site | Cost', 'A | 5', 'B | 20', 'C | 13').description).to.equal(
      messages.charts.description
        .replace('{names}', 'Cost')
        .replace('{first}', 'A')
        .replace('{last}', 'C')
        .replace('{lowest}', '5 (A)')
        .replace('{highest}', '20 (B)'),
    );
  });

  it('names the column of each number if the chart has several columns', () => {
    const chart = chartOf('Site | Cost | Plan', 'A | 5 | 6', 'B | 20 | 8');
    expect(chart.titles).to.deep.equal(['5 (A, Cost)', '6 (A, Plan)', '20 (B, Cost)', '8 (B, Plan)']);
    expect(chart.description).to.include('Cost and Plan');
  });

  it('writes the unit before or after the number, as in the table', () => {
    expect(chartOf('Site | Cost', 'A | €5', 'B | €20').values).to.deep.equal(['€5', '€20']);
    expect(chartOf('Site | Cost', 'A | -€5', 'B | €20').values).to.deep.equal(['-€5', '€20']);
    expect(chartOf('Site | Share', 'A | 5%', 'B | 20%').values).to.deep.equal(['5%', '20%']);
    expect(chartOf('Site | Time', 'A | 5 days', 'B | 1 day').values).to.deep.equal(['5\u00A0days', '1\u00A0days']);
    expect(chartOf('Site | Share', 'A | 5%', 'B | 20%').axis.at(-1)).to.equal('20%');
  });

  it('abbreviates long numbers, but not in the tooltip', () => {
    const chart = chartOf('Site | Cost', 'A | €1,240,000', 'B | €9,000');
    expect(chart.values).to.deep.equal(['€1.24M', '€9,000']);
    expect(chart.titles[0]).to.equal('€1,240,000 (A)');
  });

  it('offers the choice of several columns, and at first selects up to five with the same unit', () => {
    expect(chartOf('Site | Cost', 'A | 5', 'B | 20').columns).to.deep.equal([]);
    const mixed = chartOf('Site | Cost | Share | Plan', 'A | 5 | 1% | 3', 'B | 20 | 2% | 4');
    expect(mixed.columns.map(({ isChosen }) => isChosen)).to.deep.equal([true, false, true]);
    const head = ['Site', ...'abcdef'].join(' | ');
    const many = chartOf(head, 'A | 1 | 2 | 3 | 4 | 5 | 6', 'B | 1 | 2 | 3 | 4 | 5 | 6');
    expect(many.columns.map(({ isChosen }) => isChosen)).to.deep.equal([true, true, true, true, true, false]);
    expect(many.columns.map(({ isDisabled }) => isDisabled)).to.deep.equal([false, false, false, false, false, true]);
  });
});
