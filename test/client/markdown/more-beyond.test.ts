import { expect } from 'chai';
import { describe, it } from 'mocha';
import { moreBeyond } from '../../../client/markdown/more-beyond.ts';

const box = { scrollWidth: 500, clientWidth: 200 };

describe('A box that scrolls sideways', () => {
  for (const [scrollLeft, start, end] of [
    [0, false, true],
    [150, true, true],
    [299.5, true, false],
    [300, true, false],
    [-150, true, true],
    [-300, true, false],
  ] as const) {
    it(`has more ${start ? 'at its start' : ''} ${end ? 'at its end' : ''} when it is scrolled by ${scrollLeft}`, () => {
      expect(moreBeyond({ ...box, scrollLeft })).to.deep.equal({ start, end });
    });
  }

  it('has no more where all of it is in view', () => {
    expect(moreBeyond({ scrollLeft: 0, scrollWidth: 200, clientWidth: 200 })).to.deep.equal({
      start: false,
      end: false,
    });
  });
});
