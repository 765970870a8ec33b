import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import {
  emptyDocument,
  type GrowingDocument,
  growDocument,
  withoutAmbiguousEnd,
} from '../../../../client/markdown/parsing/growing-document.ts';
import { readBlocks } from '../../../../client/markdown/parsing/nodes.ts';
import { markdownTexts } from '../markdown-texts.ts';
import { renderedHtml } from '../rendered.ts';

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

function visibleText(text: string, isGrowing: boolean): string {
  return renderedHtml(text, { isGrowing })
    .replace(/<button.*?<\/button>/g, '')
    .replace(/<[^>]*>/g, '');
}

const lengths = fc.array(fc.nat({ max: 12 }), { maxLength: 40 });

describe('growDocument', () => {
  it('ends with the same blocks as the whole text parsed at once, wherever the text is split', () => {
    fc.assert(
      fc.property(markdownTexts, lengths, (text, pieces) => {
        const last = grow(text, pieces).at(-1) ?? emptyDocument;
        expect(blocksOf(growDocument(last, text, false))).to.deep.equal(readBlocks(text));
      }),
      { numRuns: 2000 },
    );
  });

  it('never shows the marker of a callout that is still arriving', () => {
    const written = 'a *b\n\n> [!NOTE]\n> One **two**\n\n> [!TIP] Three';
    for (let end = 1; end <= written.length; end += 1) {
      const shown = JSON.stringify(growDocument(emptyDocument, written.slice(0, end), true).sections);
      expect(shown, written.slice(0, end)).not.to.match(/!|NOTE|TIP/);
      if (shown.includes('"quote"')) expect(shown).not.to.include('"emphasis"');
    }
  });

  it('shows no Markdown syntax that is removed later: visible text never changes', () => {
    const source =
      'A **bold** and *soft* [link](https://example.com/a_b) with `code`.<br />More.\n\n| Week | Cost |\n| :--- | ---: |\n| 1 | 20 |\n| 2 | 3<br>4 |\n\n<br>\n\n- item ~~old~~\n\n# End';
    const reply = visibleText(source, false);
    for (let end = 0; end < source.length; end += 1) {
      const shown = visibleText(source.slice(0, end), true);
      expect(reply.slice(0, shown.length), source.slice(0, end)).to.equal(shown);
    }
  });

  for (const [text, shown] of [
    ['One.\n\nA **bo', 'bo'],
    ['One.\n\n- A *bo', 'bo'],
    ['| A |\n|-|\n| ~~bo', 'bo'],
  ] as const) {
    it(`closes the emphasis that is open where the text was cut: ${JSON.stringify(text)}`, () => {
      const last = grow(text, [5]).at(-1) ?? emptyDocument;
      const written = JSON.stringify(growDocument(last, text, false, { isCut: true }).sections);
      expect(written).to.include(`"children":[{"type":"text","text":"${shown}"}]`).and.not.match(/\*|~/);
    });
  }

  it('shows all of an unfinished formula if the text was cut', () => {
    const { sections } = growDocument(emptyDocument, 'So \\(x_1 + 2', false, { isCut: true });
    expect(JSON.stringify(sections)).to.include('x_1 + 2');
  });

  it('starts over if the text does not continue the previous one', () => {
    const before = growDocument(emptyDocument, 'One\n\nTwo\n\n', true);
    for (const other of ['Other', 'Three\n\nTwo\n\nOne']) {
      expect(blocksOf(growDocument(before, other, false))).to.deep.equal(readBlocks(other));
    }
  });
});

describe('withoutAmbiguousEnd', () => {
  for (const marks of [
    ...['- [x] ', '+ ', '## ', '12.', '1)', '- **', '> -', '> [!NOTE]', '- > [!no', '**', '---', '='],
    ...['|--', '```ts', '- ```', '~~~ts', '$', '> $$', '<b', '> <br /'],
  ]) {
    it(`holds back each beginning of ${JSON.stringify(marks)} until its meaning is known`, () => {
      for (let end = 1; end <= marks.length; end += 1)
        expect(withoutAmbiguousEnd(`Before\n${marks.slice(0, end)}`), marks.slice(0, end)).to.equal('Before\n');
    });
  }

  for (const line of [
    ...['- a', '- [x] a', '# A', '1. a', '1. *a', '2026 was', '> a', '> [a', '> [!NOTE] a'],
    ...['<br>', '<b>', '**a', 'a', '| 1 | 2 |\n|--|--|\n| 3'],
  ]) {
    it(`returns the line ${JSON.stringify(line)} immediately`, () => {
      expect(withoutAmbiguousEnd(`Before\n${line}`)).to.equal(`Before\n${line}`);
    });
  }

  it('holds back a bullet or bold text at the start of a numbered item', () => {
    expect(withoutAmbiguousEnd('Before\n1. *')).to.equal('Before\n');
  });

  it('holds back the first line of a table until the second one is complete', () => {
    expect(withoutAmbiguousEnd('Before\n\n| Week | Co')).to.equal('Before\n');
    expect(withoutAmbiguousEnd('Before\n\n| Week | Cost |\n|--')).to.equal('Before\n');
    expect(withoutAmbiguousEnd('Before\n\n| Week | Cost |\n|--|--|\n')).to.equal(
      'Before\n\n| Week | Cost |\n|--|--|\n',
    );
    expect(withoutAmbiguousEnd('Before\n\n| no table\nafter')).to.equal('Before\n\n| no table\nafter');
  });
});
