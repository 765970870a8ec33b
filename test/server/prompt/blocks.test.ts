import { expect } from 'chai';
import { describe, it } from 'mocha';
import { withCacheBreakpoint } from '../../../server/prompt/prompts.ts';
import type { Message } from '../../../shared/messages.ts';

const earlier: Message[] = [
  { role: 'user', content: 'Which hypothesis first?' },
  { role: 'assistant', content: [{ type: 'text', text: 'The second.' }] },
];

describe('withCacheBreakpoint', () => {
  it('marks only the last block of a message that has several', () => {
    const content = [
      { type: 'text' as const, text: 'Why?' },
      { type: 'text' as const, text: 'And how?' },
    ];
    expect(withCacheBreakpoint([{ role: 'user', content }])).to.deep.equal([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Why?' },
          { type: 'text', text: 'And how?', cache_control: { type: 'ephemeral' } },
        ],
      },
    ]);
  });

  it('leaves its input as it is', () => {
    const messages: Message[] = [...earlier, { role: 'user', content: [{ type: 'text', text: 'Why?' }] }];
    const before = structuredClone(messages);
    withCacheBreakpoint(messages);
    expect(messages).to.deep.equal(before);
  });
});
