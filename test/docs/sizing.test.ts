import { expect } from 'chai';
import { describe, it } from 'mocha';
import { bounds, estimate, peopleOf, usualUse } from '../../bench/sizing/estimate.ts';
import { measured } from '../../bench/sizing/measured.ts';
import { printed, rowsOf, short } from '../../bench/sizing/printed.ts';
import { code, readDocument } from '../support/document.ts';

const sizing = readDocument('docs/sizing.md');

describe('docs/sizing.md', () => {
  it('has the measured figures that npm run sizing counts with', () => {
    const figures = Object.values(measured).map(({ what, value, unit, from }) => [
      what,
      `${value.toLocaleString('en')} ${unit}`,
      code(from),
    ]);
    expect(sizing.tableUnder('## What is measured')).to.deep.equal(figures);
  });

  it('shows what npm run sizing prints for a million people', () => {
    expect(sizing.codeUnder('## For your own numbers', 'text')).to.equal(printed({ ...usualUse, people: 1_000_000 }));
  });

  it('has the same for 1, 10 and 1,000 instances', () => {
    const uses = [1, 10, 1000].map((instances) => ({ ...usualUse, people: peopleOf(instances, usualUse) }));
    const columns = uses.map((use) => [['people', use.people.toLocaleString('en')], ...rowsOf(estimate(use))]);
    const rows = columns[0]?.map(([what], row) => [what, ...columns.map((column) => column[row]?.[1])]);
    expect(sizing.tableUnder('## 1, 10 and 1,000 instances')).to.deep.equal(rows);
  });

  it('says what gives way, at how many people, and what then', () => {
    const rows = bounds(usualUse).map(({ people, what, remedy }) => [short(people), what, remedy]);
    expect(sizing.tableUnder('## What gives way')).to.deep.equal(rows);
  });
});
