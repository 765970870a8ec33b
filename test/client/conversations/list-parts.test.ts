import { expect } from 'chai';
import { describe, it } from 'mocha';
import { partsOf } from '../../../client/conversations/list-parts.ts';

const entries = Array.from({ length: 201 }, (_, index) => ({ id: `${index}`, title: '', lastActiveAt: 0 }));

describe('The parts of a list', () => {
  it('have all entries in their order, and the heading above the first', () => {
    const parts = partsOf({ key: 'today', period: 'today', moment: 0, entries }, true);
    expect(parts.map((part) => [part.key, part.hasHeading, part.entries.length])).to.deep.equal([
      ['today:0', true, 100],
      ['today:100', false, 100],
      ['today:200', false, 1],
    ]);
    expect(parts.flatMap((part) => part.entries)).to.deep.equal(entries);
  });

  it('are none of no entries', () => {
    expect(partsOf({ key: 'found', period: 'any', moment: 0, entries: [] }, false)).to.deep.equal([]);
  });
});
