import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Turn } from '../../../client/chat/turn.ts';
import { exportedMarkdown } from '../../../client/documents/exported-markdown.ts';

const turn = (id: string, parentId: string | null, question: string, reply: string): Turn => ({
  id,
  parentId,
  requestId: id,
  question,
  reply,
  ending: { type: 'done' },
  askedAt: null,
});

const words = { you: 'You', assistant: 'Assistant', notAnswered: 'Not answered.', notComplete: 'Not complete.' };

describe('The text of exported conversations', () => {
  it('has each under its name as it was shown, without other versions, and what was not sent', () => {
    const turns = [
      turn('a', null, 'Where?', 'Here.'),
      turn('b', 'a', 'When?', 'Once.'),
      turn('c', 'a', 'When?', 'Now.'),
    ];
    const text = exportedMarkdown(
      {
        format: 'advisory-chat-conversations',
        version: 1,
        exportedAt: 0,
        conversations: [
          { id: 'one', title: 'Where?', name: 'Places', lastActiveAt: 2, shownId: 'c', turns },
          { id: 'two', title: 'Only typed', lastActiveAt: 1, shownId: null, turns: [], draft: 'Only typed' },
        ],
      },
      words,
    );
    expect(text).to.equal(
      '# Places\n\n## You\n\nWhere?\n\n## Assistant\n\nHere.\n\n## You\n\nWhen?\n\n## Assistant\n\nNow.\n\n---\n\n# Only typed\n\nOnly typed\n',
    );
  });
});
