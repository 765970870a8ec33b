import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createRefusalCounts } from '../../../../server/embedded/offline-model/refusal-counts.ts';

describe('counting refusals', () => {
  it('refuses each conversation as often as asked, then starts over', () => {
    const counts = createRefusalCounts();
    expect(['a', 'a', 'b', 'a', 'b', 'a'].map((key) => counts.take(key, 2))).to.deep.equal([
      true,
      true,
      true,
      false,
      true,
      true,
    ]);
  });

  it('forgets the oldest of more than a hundred conversations', () => {
    const counts = createRefusalCounts();
    for (let conversation = 0; conversation <= 100; conversation += 1) counts.take(`${conversation}`, 1);
    expect(counts.take('1', 1)).to.equal(false);
    expect(counts.take('0', 1)).to.equal(true);
  });
});
