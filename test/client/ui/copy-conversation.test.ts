import { expect } from 'chai';
import { describe, it } from 'mocha';
import { conversationMarkdown } from '../../../client/ui/copy-conversation.ts';

const turn = { id: 'turn-1', parentId: null, requestId: 'turn-1', question: 'Where do we stand?', askedAt: null };

describe('conversationMarkdown', () => {
  it('puts who speaks above what they say, and says which reply is not whole', () => {
    expect(
      conversationMarkdown([
        { ...turn, reply: '**Week 3**\n', ending: { type: 'done' } },
        { ...turn, reply: 'We', ending: { type: 'stopped' } },
        { ...turn, reply: '', ending: { type: 'interrupted', requestId: 'turn-1' } },
      ]),
    ).to.equal(
      `${[
        ...['## You', 'Where do we stand?', '## Assistant', '**Week 3**'],
        ...['## You', 'Where do we stand?', '## Assistant', 'We', '*This reply is not complete.*'],
        ...['## You', 'Where do we stand?', '*Not answered.*'],
      ].join('\n\n')}\n`,
    );
  });
});
