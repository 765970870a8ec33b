import { expect } from 'chai';
import { describe, it } from 'mocha';
import { estimateDemoTurn, estimateLiveTurn, estimateTokens, usedTokens } from '../../../server/chat/token-use.ts';
import type { ModelResult } from '../../../server/model/anthropic-model.ts';
import { modelOptions } from '../../../shared/interface.ts';

describe('usedTokens', () => {
  const reported = { inputTokens: 10, cacheReadTokens: 20, cacheCreateTokens: 30 };
  const notReported = { inputTokens: 0, cacheReadTokens: 0, cacheCreateTokens: 0 };

  for (const [title, ending, input, outputTokens, streamedBytes, tokens] of [
    ['the reported tokens of a complete reply', 'complete', reported, 7, 400, 60 + 7],
    ['the estimate of a complete reply if no output is reported', 'complete', reported, 0, 400, 60 + 100],
    ['the reported output of an incomplete reply if it exceeds the estimate', 'aborted', reported, 100, 40, 60 + 100],
    ['the estimate of an incomplete reply if it exceeds the reported output', 'aborted', reported, 1, 400, 60 + 100],
    ['the estimate of the prompt if no input is reported', 'aborted', notReported, 0, 40, 1_000 + 10],
    ['the estimate of the prompt of a reply that is aborted before any output', 'aborted', notReported, 0, 0, 1_000],
    ['the prompt and the received output of a turn that fails later', 'failed', reported, 0, 40, 60 + 10],
    ['the estimate for failures of a turn that fails before any output', 'failed', notReported, 0, 0, 5],
  ] as const) {
    it(`returns ${title}`, () => {
      const result = { ending, usage: { ...input, outputTokens }, streamedBytes } as ModelResult;
      expect(usedTokens(result, { prompt: 1_000, failed: 5 })).to.equal(tokens);
    });
  }
});

describe('the token estimate', () => {
  it('is one token for every four bytes, rounded up', () => {
    expect([0, 1, 4, 5].map(estimateTokens)).to.deep.equal([0, 1, 1, 2]);
  });

  it('counts the messages of a prompt in UTF-8 bytes', () => {
    const withText = (content: string) => estimateDemoTurn([{ role: 'user', content }]).prompt;
    expect(withText('𞤀𞤣𞤤𞤢𞤥') - withText('')).to.equal(5);
  });

  it('reserves max_tokens beside the prompt', () => {
    const [live, demo] = [estimateLiveTurn([], ''), estimateDemoTurn([])];
    expect(live.reserved - live.prompt).to.equal(modelOptions.live.maxTokens);
    expect(demo.reserved - demo.prompt).to.equal(modelOptions.demo.maxTokens);
  });
});
