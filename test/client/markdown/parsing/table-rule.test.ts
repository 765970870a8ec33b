import { expect } from 'chai';
import { describe, it } from 'mocha';
import { emptyDocument, growDocument } from '../../../../client/markdown/parsing/growing-document.ts';
import { type Inline, inlineText, readBlocks } from '../../../../client/markdown/parsing/nodes.ts';

const tableOf = (columns: number, rows: number, cell = 'a') => {
  const row = `|${`${cell}|`.repeat(columns)}`;
  return [row, `|${'-|'.repeat(columns)}`, ...Array.from({ length: rows }, () => row)].join('\n');
};

/** Returns a head of `columns` cells, and rows of one cell, whose missing cells are added. */
const amplifying = (columns: number, rows: number) => `${tableOf(columns, 0)}${'\n|'.repeat(rows)}`;

/** Returns the cells of the rows below the head. Code keeps its backticks, and formulas keep dollar signs. */
function cellsOf(text: string, isGrowing = false): string[][] {
  const shown = (node: Inline) => {
    if (node.type === 'code') return `\`${node.text}\``;
    return node.type === 'formula' ? `$${node.tex}$` : inlineText([node]);
  };
  const [table] = readBlocks(text, { isGrowing });
  const rows = table?.type === 'table' ? table.rows : [];
  return rows.map(({ cells }) => cells.map(({ children }) => children.map(shown).join('')));
}

describe('tableRule', () => {
  for (const [row, ...cells] of [
    ['| `a || b` | or |', '`a || b`', 'or'],
    ['| ``a ` | b`` | c |', '`a ` | b`', 'c'],
    ['| $P(A|B)$ | $|x|$ |', '$P(A|B)$', '$|x|$'],
    ['| \\(P(A|B)\\) | $$a|b$$ |', '$P(A|B)$', '$a|b$'],
    ['| `a \\| b` | a \\| b |', '`a | b`', 'a | b'],
    ['| ` | b |', '`', 'b'],
    ['| \\` | ` |', '`', '`'],
    ['| $5 | $6 |', '$5', '$6'],
    ['|$|$|', '$', '$'],
    ['| a | b | c |', 'a', 'b | c'],
    ['a | b | | d |', 'a', 'b | d'],
    ['| a | b | | |', 'a', 'b'],
    ['| a |', 'a', ''],
  ] as const) {
    it(`reads the row “${row}” as the cells ${JSON.stringify(cells)}`, () => {
      expect(cellsOf(`| 1 | 2 |\n|---|---|\n${row}`)).to.deep.equal([cells]);
    });
  }
  for (const [row, ...cells] of [
    ['| `a |', '`a |`', ''],
    ['| x | `a | b', 'x', '`a | b`'],
    ['| x | $P(A|', 'x', ''],
  ] as const) {
    it(`keeps pipes in unfinished code and formulas within their cell: “${row}”`, () => {
      expect(cellsOf(`| 1 | 2 |\n|---|---|\n${row}`, true)).to.deep.equal([cells]);
    });
  }

  it('reads code and formulas with pipes in the header', () => {
    expect(readBlocks('| `a|b` | $P(A|B)$ |\n|-|-|')).to.have.nested.property('[0].head.length', 2);
  });

  for (const [title, text] of [
    ['5,000 cells', tableOf(10, 499)],
    ['a few cells, most of which are left out', '|a|b|c|\n|-|-|-|\n|1|'],
    ['empty cells', tableOf(10, 10, '')],
    ['thousands of rows of words', tableOf(2, 5000, 'word')],
  ] as const) {
    it(`renders a table of ${title}`, () => {
      expect(readBlocks(text).map(({ type }) => type)).to.deep.equal(['table']);
    });
  }

  for (const [title, text] of [
    ['more than 5,000 almost empty cells', tableOf(10, 500)],
    ['more cells than characters', amplifying(70, 70)],
    ['one row and more than 5,000 columns', tableOf(5001, 1)],
  ] as const) {
    it(`shows a table of ${title} as its source`, () => {
      const [block, ...others] = readBlocks(`${text}\n\nThe end`);
      expect(block).to.deep.equal({ start: 0, type: 'code', language: 'markdown', text });
      expect(others.map(({ type }) => type)).to.deep.equal(['paragraph']);
    });
  }

  it('shows the source of a table that is too large up to its end, even in lists and quotations', () => {
    const rows = amplifying(70, 70).split('\n');
    expect(readBlocks(`- ${rows.join('\n  ')}`)).to.have.nested.property('[0].items[0].blocks[0].type', 'code');
    expect(readBlocks(`> ${rows.join('\n> ')}`)).to.have.nested.property('[0].blocks[0].type', 'code');
    expect(readBlocks(`${rows.join('\n')}\n# Next`).map(({ type }) => type)).to.deep.equal(['code', 'heading']);
  });

  it('parses a growing text into the same blocks as the complete text, wherever it is split', () => {
    for (const text of [tableOf(100, 60), `${amplifying(70, 10)}\n\nThe end`, amplifying(30, 300)]) {
      for (const length of [7, 150, 900, 100_000]) {
        let document = emptyDocument;
        for (let end = length; end < text.length + length; end += length) {
          document = growDocument(document, text.slice(0, end), true);
        }
        const { sections } = growDocument(document, text, false);
        expect(sections.flat(), `${text.slice(0, 20)} by ${length}`).to.deep.equal(readBlocks(text));
      }
    }
  });
});
