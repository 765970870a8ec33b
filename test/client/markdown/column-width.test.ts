import { expect } from 'chai';
import { describe, it } from 'mocha';
import { columnWidths, isFirstShort } from '../../../client/markdown/column-width.ts';
import { readBlocks } from '../../../client/markdown/read-blocks.ts';

describe('The width of a column', () => {
  it('goes by its longest text, in which one long word has no say', () => {
    const sentence = 'A sentence that is long enough to be read in several lines, as people do.';
    const [table] = readBlocks(
      [
        '| a | b | c | d |',
        '|-|-|-|-|',
        `| 1 | a few words, not more than that | ${sentence} | ${'x'.repeat(300)} |`,
      ].join('\n'),
    );
    expect(table?.type === 'table' && columnWidths(table)).to.deep.equal(['narrow', 'medium', 'wide', 'narrow']);
  });

  it('is that of its longest line where the first column names its rows in a few letters', () => {
    const isShort = (name: string) => {
      const [table] = readBlocks(['| a | b |', '|-|-|', `| ${name} | 1 |`, '| Week 1 | 2 |'].join('\n'));
      return table?.type === 'table' && isFirstShort(table);
    };
    expect(['Week 12', 'A name that takes some room'].map(isShort)).to.deep.equal([true, false]);
  });
});
