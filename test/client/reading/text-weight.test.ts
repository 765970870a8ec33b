import { expect } from 'chai';
import { describe, it } from 'mocha';
import { partCharacters, partEnd, textWeight } from '../../../client/reading/text-weight.ts';

describe('A part of a text', () => {
  it('is as long as the limit where it is prose', () => {
    expect(partEnd('a'.repeat(10_000), 1000)).to.equal(1000 + partCharacters);
  });

  for (const unit of ['$x$ ', '|a', '- a\n', 'mailto:a@b.c ', '<br>', '\\(a\\) ', '```\n\n', '1-1 ']) {
    it(`is much shorter where it draws many elements, as ${JSON.stringify(unit)} does`, () => {
      const text = unit.repeat(5000);
      expect(partEnd(text, 0)).to.be.lessThan(partCharacters / 1.8);
      expect(textWeight(unit.repeat(20))).to.be.greaterThan(1.8 * unit.length * 20);
    });
  }

  it('ends with the text', () => {
    expect(partEnd('abc', 1)).to.equal(3);
    expect(partEnd('abc', 3)).to.equal(3);
  });
});
