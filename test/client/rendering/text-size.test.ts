import { expect } from 'chai';
import { describe, it } from 'mocha';
import { partCharacters, partEnd, textWeight } from '../../../client/rendering/text-size.ts';

describe('partEnd', () => {
  it('returns the limit for prose', () => {
    expect(partEnd('a'.repeat(10_000), 1000)).to.equal(1000 + partCharacters);
  });

  for (const unit of ['$x$ ', '|a', '- a\n', 'mailto:a@b.c ', '<br>', '\\(a\\) ', '```\n\n', '1-1 ']) {
    it(`returns a much shorter part for many elements, as in ${JSON.stringify(unit)}`, () => {
      const text = unit.repeat(5000);
      expect(partEnd(text, 0)).to.be.lessThan(partCharacters / 1.8);
      expect(textWeight(unit.repeat(20))).to.be.greaterThan(1.8 * unit.length * 20);
    });
  }

  it('returns the end of the text for the last part', () => {
    expect(partEnd('abc', 1)).to.equal(3);
    expect(partEnd('abc', 3)).to.equal(3);
  });
});
