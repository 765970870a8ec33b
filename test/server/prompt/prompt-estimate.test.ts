import { expect } from 'chai';
import { describe, it } from 'mocha';
import { estimatePrompt, estimateTokens } from '../../../server/prompt/prompts.ts';

describe('the estimate of tokens', () => {
  it('has a token for every four bytes, rounded up', () => {
    expect([0, 1, 4, 5].map(estimateTokens)).to.deep.equal([0, 1, 1, 2]);
  });

  it('counts the messages of a prompt in UTF-8', () => {
    const withText = (content: string) => estimatePrompt('demo', [{ role: 'user', content }]);
    expect(withText('𞤀𞤣𞤤𞤢𞤥') - withText('')).to.equal(5);
  });
});
