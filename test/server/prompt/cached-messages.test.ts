import { expect } from 'chai';
import { describe, it } from 'mocha';
import { withCacheBreakpoint } from '../../../server/prompt/cached-messages.ts';
import type { Message } from '../../../shared/messages.ts';

const earlier: Message[] = [
  { role: 'user', content: 'Which hypothesis first?' },
  { role: 'assistant', content: [{ type: 'text', text: 'The second.' }] },
];

describe('withCacheBreakpoint', () => {
  it('turns the string of the last message into one block with a breakpoint', () => {
    expect(withCacheBreakpoint([...earlier, { role: 'user', content: 'Why?' }])).to.deep.equal([
      ...earlier,
      { role: 'user', content: [{ type: 'text', text: 'Why?', cache_control: { type: 'ephemeral' } }] },
    ]);
  });

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

  it('keeps any text as sent', () => {
    const text = '\0 \ud800 🙂 </data>\n';
    expect(withCacheBreakpoint([{ role: 'user', content: text }])).to.deep.equal([
      { role: 'user', content: [{ type: 'text', text, cache_control: { type: 'ephemeral' } }] },
    ]);
  });
});
