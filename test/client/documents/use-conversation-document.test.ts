import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createElement, type FunctionComponent } from 'react';
import type { Turn } from '../../../client/chat/turn.ts';
import { useConversationDocument } from '../../../client/documents/use-conversation-document.ts';
import { messages } from '../../../client/language/messages/en.ts';
import { importClient } from '../../support/import-client.ts';
import { turn } from '../chat/turns.ts';
import { htmlInEnglish } from '../in-english.ts';

type HeadingProps = { title: string | undefined; turns: readonly Turn[] };

const { PrintHeading } = await importClient<{ PrintHeading: FunctionComponent<HeadingProps> }>(
  'documents/print-heading.tsx',
);

function documentOf(turns: readonly Turn[], name?: string) {
  const rendered: ReturnType<typeof useConversationDocument>[] = [];
  function Reader() {
    rendered.push(useConversationDocument(turns, name));
    return null;
  }
  htmlInEnglish(createElement(Reader));
  return rendered[0] as ReturnType<typeof useConversationDocument>;
}

const turns = [
  turn('Where do we stand?', 'In week 3.', { askedAt: Date.UTC(2025, 1, 3) }),
  turn('And now?', 'In week 9.', { parentId: 'Where do we stand?', askedAt: Date.UTC(2025, 2, 17) }),
];

describe('PrintHeading', () => {
  it('shows the date of the last question', () => {
    const heading = createElement(PrintHeading, { title: 'Plan', turns });
    expect(htmlInEnglish(heading)).to.include('<p>March 17, 2025</p>');
  });
});

describe('useConversationDocument', () => {
  it('dates the conversation by its last question', async () => {
    const { toMarkdown, toHtml } = documentOf(turns);
    expect(toMarkdown()).to.match(/^# Where do we stand\?\n\nMarch 17, 2025\n\n## You\n\nWhere do we stand\?\n/);
    expect(await toHtml()).to.match(/^<h1>Where do we stand\?<\/h1>\n<p>March 17, 2025<\/p>\n/);
  });

  it('uses the current date if the time of the last question is unknown', () => {
    const today = () => new Date().toLocaleDateString('en', { dateStyle: 'long', timeZone: 'UTC' });
    const before = today();
    const [, , date] = documentOf([turn('Where?', 'Here.', { askedAt: null })])
      .toMarkdown()
      .split('\n');
    expect([before, today()]).to.include(date);
  });

  for (const [name, shown, title] of [
    ['Plan', turns, 'Plan'],
    ['', turns, 'Where do we stand?'],
    [undefined, [], messages.conversationDocument.untitled],
  ] as const) {
    it(`uses the title “${title}” for ${name ? `the name “${name}”` : 'no name'} and ${shown.length} turns`, () => {
      expect(documentOf(shown, name).toMarkdown().split('\n', 1)).to.deep.equal([`# ${title}`]);
    });
  }

  it('prints the page as it is if the code that first draws all content fails', async () => {
    let printed = 0;
    const print = () => {
      printed += 1;
    };
    Object.defineProperty(globalThis, 'window', { configurable: true, value: { print } });
    await documentOf(turns).print();
    Reflect.deleteProperty(globalThis, 'window');
    expect(printed).to.equal(1);
  });

  it('saves the Markdown of the conversation in a file named after its title', async () => {
    const { createObjectURL, revokeObjectURL } = URL;
    const saved: Blob[] = [];
    const link = { href: '', download: '', click() {} };
    URL.createObjectURL = (blob) => {
      if (blob instanceof Blob) saved.push(blob);
      return 'blob:document';
    };
    URL.revokeObjectURL = () => {};
    Object.defineProperty(globalThis, 'document', { configurable: true, value: { createElement: () => link } });
    const { download, toMarkdown } = documentOf(turns, 'Plan');
    download();
    Object.assign(URL, { createObjectURL, revokeObjectURL });
    Reflect.deleteProperty(globalThis, 'document');
    expect(link.download).to.equal('Plan.md');
    expect(await Promise.all(saved.map((blob) => blob.text()))).to.deep.equal([toMarkdown()]);
  });
});
