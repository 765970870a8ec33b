import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Turn } from '../../../client/chat/turn.ts';
import { exportedMarkdown } from '../../../client/documents/exported-markdown.ts';

const turn = (
  id: string,
  parentId: string | null,
  question: string,
  reply: string,
  askedAt: number | null = null,
): Turn => ({
  id,
  parentId,
  requestId: id,
  question,
  reply,
  ending: { type: 'done' },
  askedAt,
});

const words = { you: 'You', assistant: 'Assistant', notAnswered: 'Not answered.', notComplete: 'Not complete.' };

describe('The text of exported conversations', () => {
  it('has each under its name and day as it was shown, without other versions, and what was not sent', () => {
    const turns = [
      turn('a', null, 'Where?', 'Here.'),
      turn('b', 'a', 'When?', 'Once.'),
      turn('c', 'a', 'When?', 'Now.', 7),
    ];
    const text = exportedMarkdown(
      {
        format: 'advisory-chat-conversations',
        version: 1,
        exportedAt: 0,
        conversations: [
          { id: 'one', title: 'Where?', name: 'Places', lastActiveAt: 2, shownId: 'c', turns },
          { id: 'old', title: 'Before', lastActiveAt: 3, shownId: 'd', turns: [turn('d', null, 'Before?', 'Yes.')] },
          { id: 'two', title: 'Only typed', lastActiveAt: 1, shownId: null, turns: [], draft: 'Only typed' },
        ],
      },
      { words, dayOf: (moment) => `Day ${moment}` },
    );
    expect(text).to.equal(
      '# Places\n\nDay 7\n\n## You\n\nWhere?\n\n## Assistant\n\nHere.\n\n## You\n\nWhen?\n\n## Assistant\n\nNow.\n\n---\n\n' +
        '# Before\n\nDay 3\n\n## You\n\nBefore?\n\n## Assistant\n\nYes.\n\n---\n\n' +
        '# Only typed\n\nDay 1\n\nOnly typed\n',
    );
  });
});
