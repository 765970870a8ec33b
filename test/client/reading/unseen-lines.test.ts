import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createUnseenLines } from '../../../client/reading/unseen-lines.ts';

const view = { foldTop: 600, lineHeight: 20, isWriting: true };

/** A reply whose first line is 100 pixels below the top of the window, unless the reader has scrolled. */
const reply = (lines: number, { scrolled = 0, width = 700 } = {}) => ({
  top: 100 - scrolled,
  bottom: 100 - scrolled + lines * 20,
  width,
});

/** The counter when a new reply begins. */
function begun() {
  const unseen = createUnseenLines();
  unseen.reset();
  return unseen;
}

describe('The lines that have not been seen', () => {
  it('are those of a new reply below the window, counted in tens if there are many', () => {
    const unseen = begun();
    for (const [lines, count] of [
      [25, 0],
      [26, 1],
      [34, 9],
      [35, 10],
      [44, 10],
      [45, 20],
    ] as const) {
      expect(unseen.count(reply(lines), view)).to.equal(count);
    }
  });

  it('do not include lines that were in view before the reader scrolled back', () => {
    const unseen = begun();
    unseen.count(reply(60, { scrolled: 600 }), view);
    expect(unseen.count(reply(60), view)).to.equal(5);
  });

  it('do not include lines that a narrower window or another text size adds to what was seen', () => {
    const unseen = begun();
    unseen.count(reply(60, { scrolled: 1000 }), view);
    expect(unseen.count(reply(90, { width: 300 }), view)).to.equal(0);
    unseen.count(reply(90, { width: 300 }), { ...view, isWriting: false });
    expect(unseen.count(reply(120, { width: 300 }), { ...view, isWriting: false })).to.equal(0);
  });

  it('do not include lines that the reader has expanded, but the lines that arrive later', () => {
    const unseen = begun();
    unseen.count(reply(60, { scrolled: 1000 }), view);
    unseen.userPressed();
    expect(unseen.count(reply(75), view)).to.equal(0);
    expect(unseen.count(reply(80), view)).to.equal(5);
  });

  it('include the lines that arrive with the end of the reply', () => {
    const unseen = begun();
    unseen.count(reply(25), view);
    expect(unseen.count(reply(30), { ...view, isWriting: false })).to.equal(5);
  });

  it('do not include a reply that was there before', () => {
    expect(createUnseenLines().count(reply(500), view)).to.equal(0);
  });
});
