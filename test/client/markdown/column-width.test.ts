import { expect } from 'chai';
import { describe, it } from 'mocha';
import { columnWidths } from '../../../client/markdown/column-width.ts';
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
});
