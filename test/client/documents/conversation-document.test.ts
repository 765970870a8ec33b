import { expect } from 'chai';
import { describe, it } from 'mocha';
import { fileName } from '../../../client/browser/save-file.ts';
import type { Ending } from '../../../client/chat/turn.ts';
import {
  type ConversationDocument,
  conversationMarkdown,
  exportedMarkdown,
} from '../../../client/documents/conversation-document.ts';
import { conversationHtml } from '../../../client/documents/conversation-html.ts';
import { turn } from '../chat/turns.ts';

const turnOf = (reply: string, ending: Ending) => turn('Where do we <stand>?\nToday', reply, { ending });

const whole: ConversationDocument = {
  title: 'Where & when',
  date: '22 November 2026',
  labelOf: (name) => name,
  turns: [
    turnOf('# **Week 3**\n', { type: 'done' }),
    turnOf('We', { type: 'stopped' }),
    turnOf('', { type: 'interrupted', requestId: 'turn-1' }),
  ],
};

describe('A conversation document', () => {
  it('is Markdown with a title, a date, a heading for each speaker and a note after an incomplete reply', () => {
    const asked = ['## you', 'Where do we <stand>?\nToday'];
    const parts = [
      ...['# Where & when', '22 November 2026', ...asked, '## assistant', '# **Week 3**'],
      ...[...asked, '## assistant', 'We', '*notComplete*'],
      ...[...asked, '*notAnswered*'],
    ];
    expect(conversationMarkdown(whole)).to.equal(`${parts.join('\n\n')}\n`);
  });

  it('notes that a reply is not complete while it is running', () => {
    const running = { ...whole, turns: [turn('Where?', 'We', { ending: null })] };
    expect(conversationMarkdown(running)).to.match(/## assistant\n\nWe\n\n\*notComplete\*\n$/);
    expect(conversationHtml(running)).to.match(/<p>We<\/p>\n<p><em>notComplete<\/em><\/p>$/);
  });

  it('says which turns were imported, even if only the continuation of a turn was imported', () => {
    const imported = { isImported: true } as const;
    const continuation = turn('Continue.', ' 3.', { isContinuation: true, ...imported });
    for (const turns of [
      [turn('Where?', 'Week 3.', imported)],
      [turn('Where?', 'Week', { ending: { type: 'stopped' } }), continuation],
    ]) {
      expect(conversationMarkdown({ ...whole, turns })).to.include('## you\n\n*imported*\n\nWhere?');
      expect(conversationHtml({ ...whole, turns })).to.include('<h2>you</h2>\n<p><em>imported</em></p>\n<p>Where?</p>');
    }
  });

  it('shows a continued reply as one reply, without the question that continued it', () => {
    const continuation = turn('Continue.', 'rd\n4. Fourth', { isContinuation: true });
    const continued = { ...whole, turns: [turnOf('3. Thi', { type: 'stopped' }), continuation] };
    expect(conversationMarkdown(continued))
      .to.match(/## assistant\n\n3\. Third\n4\. Fourth\n$/)
      .and.not.match(/Continue|notComplete/);
    expect(conversationHtml(continued))
      .to.match(/<li value="3">Third<\/li>\n?<li value="4">Fourth<\/li>\n?<\/ol>$/)
      .and.not.match(/Continue|notComplete/);
  });

  it('has the same content as HTML, with escaped text and nested headings', () => {
    const asked = ['<h2>you</h2>', '<p>Where do we &lt;stand&gt;?<br>Today</p>'];
    const parts = [
      ...['<h1>Where &amp; when</h1>', '<p>22 November 2026</p>', ...asked],
      ...['<h2>assistant</h2>', '<h3><strong>Week 3</strong></h3>', ...asked],
      ...['<h2>assistant</h2>', '<p>We</p>', '<p><em>notComplete</em></p>', ...asked],
      '<p><em>notAnswered</em></p>',
    ];
    expect(conversationHtml(whole)).to.equal(parts.join('\n'));
  });

  for (const [title, name] of [
    ['Where do we stand?', 'Where do we stand.md'],
    ['../../etc/passwd', 'etc passwd.md'],
    ['a\u0000b\u202Ec', 'a b c.md'],
    ['…', '….md'],
    ['???', 'conversation.md'],
    ['日本語の質問', '日本語の質問.md'],
    ['a'.repeat(80), `${'a'.repeat(60)}.md`],
    [`${'Lead time '.repeat(5)}and the hypotheses`, `${'Lead time '.repeat(5)}and the.md`],
  ] as const) {
    it(`is saved as “${name}” if its title is ${JSON.stringify(title)}`, () => {
      expect(fileName(title, 'md')).to.equal(name);
    });
  }
});

describe('exportedMarkdown', () => {
  it('contains the name, date, shown turns and unsent text of each conversation', () => {
    const turns = [
      turn('Where?', 'Here.'),
      turn('When?', 'Once.', { parentId: 'Where?' }),
      turn('When?', 'Now.', { id: 'again', parentId: 'Where?', askedAt: 7 }),
      turn('When?', 'Later.', { id: 'hidden', parentId: 'Where?', askedAt: 9 }),
    ];
    const conversations = [
      { id: 'one', title: 'Where?', name: 'Places', lastActiveAt: 2, shownId: 'again', turns },
      { id: 'old', title: 'Before', lastActiveAt: 3, shownId: 'Before?', turns: [turn('Before?', 'Yes.')] },
      { id: 'two', title: 'Only typed', lastActiveAt: 1, shownId: null, turns: [], draft: 'Only typed' },
    ];
    const text = exportedMarkdown(
      { format: 'advisory-chat-conversations', version: 1, exportedAt: 0, conversations },
      { labelOf: whole.labelOf, dayOf: (moment) => `Day ${moment}` },
    );
    expect(text).to.equal(
      '# Places\n\nDay 7\n\n## you\n\nWhere?\n\n## assistant\n\nHere.\n\n## you\n\nWhen?\n\n## assistant\n\nNow.\n\n---\n\n' +
        '# Before\n\nDay 3\n\n## you\n\nBefore?\n\n## assistant\n\nYes.\n\n---\n\n' +
        '# Only typed\n\nDay 1\n\nOnly typed\n',
    );
  });
});
