import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createUnseenLineCounter } from '../../../client/reading/unseen-lines.ts';

const view = { foldTop: 600, lineHeight: 20, isWriting: true };

/** Returns a reply that starts 100 pixels below the top of the window before the reader scrolls. */
const reply = (lines: number, { scrolled = 0, width = 700 } = {}) => ({
  top: 100 - scrolled,
  bottom: 100 - scrolled + lines * 20,
  width,
});

/** Creates the counter at the start of a new reply. */
function createReset() {
  const unseen = createUnseenLineCounter();
  unseen.reset();
  return unseen;
}

describe('createUnseenLineCounter', () => {
  it('counts the lines of a new reply below the window, in tens if there are many', () => {
    const unseen = createReset();
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

  it('adds the unseen lines of earlier replies until the newest one comes into view', () => {
    const unseen = createReset();
    unseen.count(reply(30), view);
    unseen.reset();
    expect(unseen.countEarlier()).to.equal(5);
    const below = { top: 700, bottom: 740, width: 700 };
    expect(unseen.count(below, view)).to.equal(7);
    expect(unseen.count({ ...below, top: 580, bottom: 660 }, view)).to.equal(3);
  });

  it('ignores the unseen lines of earlier replies once the user has reached the newest question', () => {
    const unseen = createReset();
    unseen.count(reply(30), view);
    unseen.reset();
    unseen.earlierSeen();
    expect(unseen.countEarlier()).to.equal(0);
  });

  it('ignores lines that were in view before the reader scrolled back', () => {
    const unseen = createReset();
    unseen.count(reply(60, { scrolled: 600 }), view);
    expect(unseen.count(reply(60), view)).to.equal(5);
  });

  it('ignores lines that a narrower window or another text size adds to what was seen', () => {
    const unseen = createReset();
    unseen.count(reply(60, { scrolled: 1000 }), view);
    expect(unseen.count(reply(90, { width: 300 }), view)).to.equal(0);
    unseen.count(reply(90, { width: 300 }), { ...view, isWriting: false });
    expect(unseen.count(reply(120, { width: 300 }), { ...view, isWriting: false })).to.equal(0);
  });

  it('ignores lines that the reader has expanded, and counts those that arrive later', () => {
    const unseen = createReset();
    unseen.count(reply(60, { scrolled: 1000 }), view);
    unseen.userPressed();
    expect(unseen.count(reply(75), view)).to.equal(0);
    expect(unseen.count(reply(80), view)).to.equal(5);
  });

  it('counts the lines that arrive with the end of the reply', () => {
    const unseen = createReset();
    unseen.count(reply(25), view);
    expect(unseen.count(reply(30), { ...view, isWriting: false })).to.equal(5);
  });

  it('ignores a reply that was present at the start', () => {
    expect(createUnseenLineCounter().count(reply(500), view)).to.equal(0);
  });
});
