import { expect } from 'chai';
import { describe, it } from 'mocha';
import { estimateTokens } from '../../../server/prompt/prompts.ts';

describe('the estimate of a prompt', () => {
  it('has a token for every four bytes of UTF-8, rounded up', () => {
    const texts = ['', 'x', 'xxxx', 'xxxxx', 'ኢትዮጵያ', '𞤀𞤣𞤤𞤢𞤥'];
    expect(texts.map(estimateTokens)).to.deep.equal([0, 1, 1, 2, 4, 5]);
  });
});
