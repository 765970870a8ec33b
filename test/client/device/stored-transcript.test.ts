import { expect } from 'chai';
import { describe, it } from 'mocha';
import { withKnownParents } from '../../../client/device/stored-transcript.ts';
import { inARow, turn } from '../chat/turns.ts';

describe('Stored turns', () => {
  it('are all accepted, and follow the turn before them if their parent is missing', () => {
    const two = turn('Two?', '.', { parentId: 'One?' });
    const other = turn('Other?', '.', { parentId: 'One?' });
    expect(withKnownParents([two, other])).to.deep.equal([
      { ...two, parentId: null },
      { ...other, parentId: 'Two?' },
    ]);
  });

  it('are reduced to the first of several turns with the same id', () => {
    const circle = inARow(turn('One?', '.', { id: 'a' }), turn('Two?', '.', { id: 'a' }));
    expect(withKnownParents(circle)).to.deep.equal(circle.slice(0, 1));
  });
});
