import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createUnseenLines } from '../../../client/reading/unseen-lines.ts';

const view = { foldTop: 600, lineHeight: 20 };

/** A reply whose first line stands 100 pixels below the top of the window, unless the reader has scrolled. */
const reply = (lines: number, { scrolled = 0 } = {}) => ({ top: 100 - scrolled, bottom: 100 - scrolled + lines * 20 });

describe('The lines that have not been seen', () => {
  it('are those of a new reply below the window', () => {
    const unseen = createUnseenLines();
    unseen.begin();
    expect(unseen.count(reply(25), view)).to.equal(0);
    expect(unseen.count(reply(26), view)).to.equal(1);
    expect(unseen.count(reply(34), view)).to.equal(9);
  });

  it('are counted in tens where they are many', () => {
    const unseen = createUnseenLines();
    unseen.begin();
    expect(unseen.count(reply(35), view)).to.equal(10);
    expect(unseen.count(reply(44), view)).to.equal(10);
    expect(unseen.count(reply(45), view)).to.equal(20);
  });

  it('are none of those that were in view before the reader went back', () => {
    const unseen = createUnseenLines();
    unseen.begin();
    unseen.count(reply(60, { scrolled: 600 }), view);
    expect(unseen.count(reply(60), view)).to.equal(5);
  });

  it('are none of a reply that was there before', () => {
    expect(createUnseenLines().count(reply(500), view)).to.equal(0);
  });
});
