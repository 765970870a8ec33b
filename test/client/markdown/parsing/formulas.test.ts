import { expect } from 'chai';
import { describe, it } from 'mocha';
import { type Inline, readBlocks } from '../../../../client/markdown/parsing/nodes.ts';

const inlinesOf = (text: string): readonly Inline[] => {
  const [block] = readBlocks(text);
  return block?.type === 'paragraph' ? block.children : [];
};
const formulasIn = (text: string) => inlinesOf(text).flatMap((node) => (node.type === 'formula' ? [node.tex] : []));
const shown = (text: string) => inlinesOf(text).map((node) => ('text' in node ? node.text : `{${node.type}}`));

describe('an inline formula', () => {
  for (const [written, ...formulas] of [
    ['so \\(x_1 + y_1\\) is', 'x_1 + y_1'],
    ['so \\(n\\) is', 'n'],
    ['so $x$ is', 'x'],
    ['so $E = mc^2$.', 'E = mc^2'],
    ['so $\\alpha$-level', '\\alpha'],
    ['so $$a \\over b$$ is', 'a \\over b'],
    ['so \\[a = b\\] is', 'a = b'],
    ['so $a\\$b = 1$ is', 'a\\$b = 1'],
    ['$5 and $6'],
    ['$5-$6'],
    ['between $5 and 6$ a day'],
    ['US$5 = AU$7'],
    ['echo $HOME and $PATH'],
    ['cost: $ 5 = 3 $'],
    ['a $ b'],
    ['$'],
    ['\\(no end'],
    ['a \\(\\) b'],
    ['no end\\)'],
    ['\\\\(x\\\\)'],
    ['`\\(x\\)` and `$x$`'],
  ] as const) {
    it(`is ${formulas[0] ? `“${formulas[0]}”` : 'not found'} in “${written}”`, () => {
      expect(formulasIn(written)).to.deep.equal(formulas);
    });
  }

  it('does not begin or end at a single escaped parenthesis, which keeps its backslash', () => {
    expect(shown('call f\\(x')).to.deep.equal(['call f\\(x']);
    expect(shown('x\\) there')).to.deep.equal(['x\\) there']);
  });

  it('between double dollar signs is marked as a display formula, with its source', () => {
    const formula = (source: string, isDisplay: boolean) => ({ type: 'formula', tex: 'x^2', source, isDisplay });
    expect(inlinesOf('$x^2$ $$x^2$$').filter(({ type }) => type === 'formula')).to.deep.equal([
      formula('$x^2$', false),
      formula('$$x^2$$', true),
    ]);
  });

  it('is not found in escaped brackets within a sentence', () => {
    expect(shown('a \\[draft\\] b')).to.deep.equal(['a [draft] b']);
  });
});

describe('a display formula', () => {
  for (const written of ['$$\nx = 1\n$$', '\\[\nx = 1\n\\]', '$$x = 1$$', '\\[x = 1\\]', '$$ x = 1\n$$']) {
    it(`is read as a block from ${JSON.stringify(written)}`, () => {
      const formula = { start: 0, type: 'formula', tex: 'x = 1', source: written, isDisplay: true };
      expect(readBlocks(written)).to.deep.equal([formula]);
      const blocks = readBlocks(`So\n${written}\nand so on`);
      expect(blocks.map(({ type }) => type)).to.deep.equal(['paragraph', 'formula', 'paragraph']);
    });
  }

  it('can be in a list or a quotation', () => {
    const types = (text: string) => {
      const [outer] = readBlocks(text);
      const inner = outer?.type === 'list' ? outer.items[0]?.blocks : outer?.type === 'quote' ? outer.blocks : [];
      return inner?.map(({ type }) => type);
    };
    expect(types('1. So:\n   $$\n   x = 1\n   $$\n   then')).to.deep.equal(['paragraph', 'formula', 'paragraph']);
    expect(types('> $$\n> x = 1\n> $$')).to.deep.equal(['formula']);
  });

  it('is read as text if its closing delimiter is missing', () => {
    for (const isGrowing of [false, true]) {
      const blocks = readBlocks('$$\nx = 1\n\nafter', { isGrowing });
      expect(blocks.map(({ type }) => type)).to.deep.equal(['paragraph', 'paragraph']);
    }
  });

  it('is not shown before its closing delimiter arrives, unless the formula is too long', () => {
    const typesOf = (tex: string) => readBlocks(`So:\n\n$$\n${tex}`, { isGrowing: true }).map(({ type }) => type);
    expect(typesOf('x = ')).to.deep.equal(['paragraph']);
    expect(typesOf('x = '.repeat(1000)), 'too long for a formula').to.deep.equal(['paragraph', 'paragraph']);
  });
});
