import { expect } from 'chai';
import { describe, it } from 'mocha';
import { type Figure, formatSection, type Samples } from '../../bench/report.ts';

const none: Samples<number> = { floor: [], demo: [], live: [], conventional: [], sdk: [], aiSdk: [] };
const cost: Figure<number> = { column: 'ms', value: (milliseconds) => milliseconds, digits: 1 };
const tableOf = (samples: Partial<Samples<number>>) =>
  formatSection({
    heading: 'CPU time',
    about: 'CPU time of a turn.',
    samples: { ...none, ...samples },
    figures: [cost],
    goals: [],
  })
    .split('\n')
    .filter((line) => line.startsWith('|'));

describe('the report of the benchmark', () => {
  it('compares each contender with the floor and the conventional server by the median and range of the ratio per round', () => {
    expect(tableOf({ floor: [1, 2, 4], live: [3, 8, 8], conventional: [6, 8, 10] })).to.deep.equal([
      '|  | times the floor | times the conventional server | ms |',
      '| --- | --- | --- | --- |',
      '| floor | 1 | 0.25 (0.17–0.40) | 2.0 (1.0–4.0) |',
      '| live chat | 3.00 (2.00–4.00) | 0.80 (0.50–1.00) | 8.0 (3.0–8.0) |',
      '| conventional server | 4.00 (2.50–6.00) | 1 | 8.0 (6.0–10.0) |',
    ]);
  });

  it('shows only the selected contenders', () => {
    expect(tableOf({ live: [3] })).to.deep.equal(['|  | ms |', '| --- | --- |', '| live chat | 3.0 (3.0–3.0) |']);
  });
});
