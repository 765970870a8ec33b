import { expect } from 'chai';
import { describe, it } from 'mocha';
import { estimatePrompt, estimateTokens } from '../../../server/prompt/prompts.ts';
import type { Message } from '../../../shared/messages.ts';

describe('the estimate of a prompt', () => {
  it('has a token for every four bytes of UTF-8, rounded up', () => {
    const texts = ['', 'x', 'xxxx', 'xxxxx', 'ኢትዮጵያ', '𞤀𞤣𞤤𞤢𞤥'];
    expect(texts.map(estimateTokens)).to.deep.equal([0, 1, 1, 2, 4, 5]);
  });

  for (const route of ['live', 'demo'] as const) {
    it(`of ${route} chat counts the system prompt, and every text of the messages`, () => {
      const empty = estimatePrompt(route, []);
      expect(empty).to.be.above(1000);
      const messages: Message[] = [
        { role: 'user', content: 'x'.repeat(400) },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'x'.repeat(42) },
            { type: 'text', text: 'ኢ'.repeat(4) },
          ],
        },
      ];
      expect(estimatePrompt(route, messages)).to.equal(empty + 114);
    });
  }
});
