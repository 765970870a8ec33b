import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import {
  blocksPerSection,
  emptyDocument,
  type GrowingDocument,
  growDocument,
  withoutAmbiguousEnd,
} from '../../../client/markdown/growing-document.ts';
import { readBlocks } from '../../../client/markdown/read-blocks.ts';
import { markdownTexts } from './markdown-texts.ts';

/** Returns the documents after each piece of `text`, which is split into pieces of the given lengths. */
function grow(text: string, lengths: readonly number[]): GrowingDocument[] {
  const documents: GrowingDocument[] = [];
  let document = emptyDocument;
  let end = 0;
  for (const length of [...lengths, text.length]) {
    end = Math.min(text.length, end + length);
    document = growDocument(document, text.slice(0, end), true);
    documents.push(document);
  }
  return documents;
}

const blocksOf = ({ sections }: GrowingDocument) => sections.flat();

const lengths = fc.array(fc.nat({ max: 12 }), { maxLength: 40 });

describe('growDocument', () => {
  it('ends with the blocks of the text parsed at once, wherever the text is split', () => {
    fc.assert(
      fc.property(markdownTexts, lengths, (text, pieces) => {
        const last = grow(text, pieces).at(-1) ?? emptyDocument;
        expect(blocksOf(growDocument(last, text, false))).to.deep.equal(readBlocks(text));
      }),
      { numRuns: 2000 },
    );
  });

  for (const [text, shown] of [
    ['One.\n\nA **bo', 'bo'],
    ['One.\n\n- A *bo', 'bo'],
    ['| A |\n|-|\n| ~~bo', 'bo'],
  ] as const) {
    it(`closes the emphasis that is open at the end of ${JSON.stringify(text)}`, () => {
      const last = grow(text, [5]).at(-1) ?? emptyDocument;
      const written = JSON.stringify(growDocument(last, text, false, { isCut: true }).sections);
      expect(written).to.include(`"children":[{"type":"text","text":"${shown}"}]`).and.not.match(/\*|~/);
    });
  }

  it('shows an unfinished formula completely in a cut text', () => {
    const { sections } = growDocument(emptyDocument, 'So \\(x_1 + 2', false, { isCut: true });
    expect(JSON.stringify(sections)).to.include('x_1 + 2');
  });

  it('preserves the identity of each finished block', () => {
    fc.assert(
      fc.property(markdownTexts, lengths, (text, pieces) => {
        let before = emptyDocument;
        for (const document of grow(text, pieces)) {
          for (const [index, block] of before.finished.entries()) expect(blocksOf(document)[index]).to.equal(block);
          before = document;
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('groups its blocks in sections, and preserves the identity of each full section', () => {
    const blocks = 3 * blocksPerSection;
    const text = Array.from({ length: blocks }, (_, index) => `Paragraph ${index}`).join('\n\n');
    let before = emptyDocument;
    for (const document of grow(
      text,
      Array.from({ length: text.length }, () => 1),
    )) {
      const { sections } = document;
      for (const [index, section] of before.fullSections.entries()) expect(sections[index]).to.equal(section);
      expect(sections.slice(0, -1).filter(({ length }) => length !== blocksPerSection)).to.deep.equal([]);
      before = document;
    }
    expect(before.fullSections).to.have.length(2);
    expect(before.sections.map(({ length }) => length)).to.deep.equal([
      blocksPerSection,
      blocksPerSection,
      blocksPerSection,
    ]);
    expect(blocksOf(before)).to.deep.equal(readBlocks(text));
  });

  for (const [title, text, lengths] of [
    ['rows of a table', '| A |\n| --- |\n| 1 |\n| 2 |\n| 3 |\n\nThe end', [27, 6]],
    ['items of a list', '1. One\n\n2. Two\n\n3. Three', [17, 8]],
  ] as const) {
    it(`preserves the identity of finished ${title} while it grows`, () => {
      const [first = [], second = []] = grow(text, lengths).map((document) => {
        const [block] = blocksOf(document);
        return block?.type === 'table' ? block.rows : block?.type === 'list' ? block.items : [];
      });
      expect(second).to.have.length(3);
      expect(second[0]).to.equal(first[0]);
    });
  }

  it('parses only the unfinished end again', () => {
    const [document = emptyDocument] = grow('One\n\nTwo\n\nThree', [15]);
    expect(document.openStart).to.equal('One\n\nTwo\n\n'.length - 'Two\n\n'.length);
    expect(document.finished).to.have.length(1);
  });

  it('starts over if the text does not continue the previous one', () => {
    const before = growDocument(emptyDocument, 'One\n\nTwo\n\n', true);
    expect(blocksOf(growDocument(before, 'Other', false))).to.deep.equal(readBlocks('Other'));
  });
});

describe('withoutAmbiguousEnd', () => {
  for (const line of [
    '-',
    '- ',
    '#',
    '## ',
    '1',
    '12.',
    '>',
    '> -',
    '**',
    '---',
    '|',
    '|--',
    '`',
    '```',
    '```ts',
    '- ```',
    '- [',
    '- [x',
    '- [x] ',
    '1. *',
    '<',
    '<b',
    '> <br /',
    '> [',
    '> [!NOTE]',
    '- > [!no',
  ]) {
    it(`holds back ${line} until its meaning is known`, () => {
      expect(withoutAmbiguousEnd(`Before\n${line}`)).to.equal('Before\n');
    });
  }

  for (const line of [
    '- a',
    '# A',
    '1. a',
    '1. *a',
    '<br>',
    '<b>',
    '> a',
    '> [a',
    '> [!NOTE] a',
    '**a',
    'a',
    '2026 was',
    '- [x] a',
    '| 1 | 2 |\n|--|--|\n| 3',
  ]) {
    it(`returns the line ${JSON.stringify(line)} immediately`, () => {
      expect(withoutAmbiguousEnd(`Before\n${line}`)).to.equal(`Before\n${line}`);
    });
  }

  it('holds back the first line of a table until the second one is complete', () => {
    expect(withoutAmbiguousEnd('Before\n\n| Week | Co')).to.equal('Before\n');
    expect(withoutAmbiguousEnd('Before\n\n| Week | Cost |\n|--')).to.equal('Before\n');
    expect(withoutAmbiguousEnd('Before\n\n| Week | Cost |\n|--|--|\n')).to.equal(
      'Before\n\n| Week | Cost |\n|--|--|\n',
    );
    expect(withoutAmbiguousEnd('Before\n\n| no table\nafter')).to.equal('Before\n\n| no table\nafter');
  });
});
