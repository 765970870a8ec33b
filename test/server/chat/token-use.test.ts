import { expect } from 'chai';
import { describe, it } from 'mocha';
import { estimateDemoTurn, estimateTokens, usedTokens } from '../../../server/chat/token-use.ts';
import type { ModelResult } from '../../../server/model/anthropic-model.ts';

describe('the used tokens of an incomplete reply', () => {
  const used = (outputTokens: number, streamedBytes: number) => {
    const usage = { inputTokens: 10, outputTokens, cacheReadTokens: 20, cacheCreateTokens: 30 };
    const result = { ending: 'aborted', usage, streamedBytes } as ModelResult;
    return usedTokens(result, { prompt: 1_000, failed: 5 });
  };

  it('include the reported output or the estimate of the received output, whichever is more', () => {
    expect(used(100, 40)).to.equal(60 + 100);
    expect(used(1, 400)).to.equal(60 + 100);
  });
});

describe('the token estimate', () => {
  it('is one token for every four bytes, rounded up', () => {
    expect([0, 1, 4, 5].map(estimateTokens)).to.deep.equal([0, 1, 1, 2]);
  });

  it('counts the messages of a prompt in UTF-8 bytes', () => {
    const withText = (content: string) => estimateDemoTurn([{ role: 'user', content }]).prompt;
    expect(withText('𞤀𞤣𞤤𞤢𞤥') - withText('')).to.equal(5);
  });
});
