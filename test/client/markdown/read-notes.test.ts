import { expect } from 'chai';
import { describe, it } from 'mocha';
import { readBlocks } from '../../../client/markdown/read-blocks.ts';

describe('Footnotes', () => {
  it('are marks where they were set and notes where they were written', () => {
    expect(readBlocks('Costs fall[^1].\n\n[^1]: By **half**.')).to.deep.equal([
      {
        start: 0,
        type: 'paragraph',
        children: [
          { type: 'text', text: 'Costs fall' },
          { type: 'mark', label: '1' },
          { type: 'text', text: '.' },
        ],
      },
      {
        start: 17,
        type: 'note',
        label: '1',
        blocks: [
          {
            start: 17,
            type: 'paragraph',
            children: [
              { type: 'text', text: 'By ' },
              { type: 'strong', children: [{ type: 'text', text: 'half' }] },
              { type: 'text', text: '.' },
            ],
          },
        ],
      },
    ]);
  });

  it('are marks before their notes have come', () => {
    const [block] = readBlocks('Costs fall[^1]', { isGrowing: true });
    expect(block?.type === 'paragraph' && block.children.at(-1)).to.deep.equal({ type: 'mark', label: '1' });
  });

  it('go on in lines that are set in, and each is a note of its own', () => {
    const blocks = readBlocks('[^a]: One\n\n    more\n[^b]: Two\n\nafter');
    expect(
      blocks.map((block) => (block.type === 'note' ? [block.label, block.blocks.length] : block.type)),
    ).to.deep.equal([['a', 2], ['b', 1], 'paragraph']);
  });

  it('take a moment to be read from the most senseless text', () => {
    for (const unit of ['[^1]: ', '[^1]', '[^', '[^1]:\n', '^[']) {
      const startedAt = performance.now();
      readBlocks(unit.repeat(10_000));
      expect(performance.now() - startedAt, unit).to.be.lessThan(2000);
    }
  });
});
