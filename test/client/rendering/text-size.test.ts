import { expect } from 'chai';
import { describe, it } from 'mocha';
import { sliceCharacters, sliceEnd, textWeight } from '../../../client/rendering/text-size.ts';

describe('sliceEnd', () => {
  it('returns the limit for prose', () => {
    expect(sliceEnd('a'.repeat(10_000), 1000)).to.equal(1000 + sliceCharacters);
  });

  for (const unit of ['$x$ ', '|a', '- a\n', 'mailto:a@b.c ', '<br>', '\\(a\\) ', '```\n\n', '1-1 ']) {
    it(`returns a much shorter slice for text with many elements, as in ${JSON.stringify(unit)}`, () => {
      const text = unit.repeat(5000);
      expect(sliceEnd(text, 0)).to.be.lessThan(sliceCharacters / 1.8);
      expect(textWeight(unit.repeat(20))).to.be.greaterThan(1.8 * unit.length * 20);
    });
  }

  it('returns the end of the text for the last slice', () => {
    expect(sliceEnd('abc', 1)).to.equal(3);
    expect(sliceEnd('abc', 3)).to.equal(3);
  });
});
