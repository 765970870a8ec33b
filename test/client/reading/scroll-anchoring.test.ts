import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createScrollAnchoring, type ScrollAnchor } from '../../../client/reading/scroll-anchoring.ts';

/**
 * Creates a page of 20-pixel lines that scrolls by whole pixels from 0 to `maxScroll`. `above` is the height before the first line,
 * `gap` the height between lines 51 and 52. The reader has scrolled to `at`.
 */
function createPage({ at = 1000, maxScroll = 10_000, isEmpty = false } = {}) {
  const page = {
    scrollTop: 0,
    above: 0,
    gap: 0,
    maxScroll,
    width: 390,
    height: 800,
    isRemoved: false,
    isEmpty,
    isFocusNew: false,
    isToStart: false,
    isScrollFragile: false,
  };
  const topOf = (line: number) => page.above + line * 20 + (line > 51 ? page.gap : 0) - page.scrollTop;
  const scroll = (top: number) => {
    page.scrollTop = Math.round(Math.min(page.maxScroll, Math.max(0, top)));
  };
  const anchor = (line: number): ScrollAnchor => ({ top: () => (page.isRemoved ? undefined : topOf(line)) });
  const anchoring = createScrollAnchoring({
    scrollTop: () => page.scrollTop,
    scrollTo: scroll,
    width: () => page.width,
    height: () => page.height,
    isFocusNew: () => page.isFocusNew,
    isToStart: () => page.isToStart,
    isScrollFragile: () => page.isScrollFragile,
    find: () => (page.isEmpty ? undefined : anchor(Math.ceil((page.scrollTop - page.above) / 20))),
  });
  function readerScrolls(top: number): void {
    scroll(top);
    anchoring.hold();
  }
  readerScrolls(at);
  return { page, anchoring, topOf, readerScrolls };
}

describe('createScrollAnchoring', () => {
  it('moves the anchor by the distance that the user scrolls, even if the page changes in the same frame', () => {
    const { page, topOf, readerScrolls } = createPage();
    page.above = 300;
    readerScrolls(1100);
    expect(topOf(50)).to.equal(-100);
  });

  it('keeps the scroll position if the page changes before the scroll event arrives', () => {
    const { page, anchoring, topOf } = createPage();
    page.scrollTop = 600;
    page.above = 30;
    anchoring.hold();
    expect(topOf(50)).to.equal(400);
  });

  it('captures a new anchor if the focus changes or the page jumps by more than a window, even if the content changes', () => {
    for (const [to, isFocusNew] of [
      [1100, true],
      [3000, false],
    ] as const) {
      const { page, readerScrolls } = createPage();
      page.isFocusNew = isFocusNew;
      page.above = 300;
      readerScrolls(to);
      expect(page.scrollTop).to.equal(to);
    }
  });

  it('postpones corrections that would end the scroll of the user, and makes up for all of them afterwards', () => {
    const { page, anchoring, topOf, readerScrolls } = createPage();
    page.isScrollFragile = true;
    readerScrolls(900);
    page.above = 30;
    readerScrolls(800);
    page.above = 50;
    anchoring.hold();
    readerScrolls(700);
    expect(page.scrollTop).to.equal(700);
    page.isScrollFragile = false;
    anchoring.hold();
    expect(page.scrollTop).to.equal(750);
    expect(topOf(50)).to.equal(300);
  });

  it('lets the user reach the start of the page, whatever is laid out meanwhile', () => {
    const { page, anchoring, readerScrolls } = createPage();
    page.isToStart = true;
    readerScrolls(500);
    page.above = 300;
    readerScrolls(0);
    page.above = 400;
    anchoring.hold();
    expect(page.scrollTop).to.equal(0);
  });

  it('undoes a scroll by the browser', () => {
    const { page, anchoring, topOf } = createPage({ at: 3000 });
    page.scrollTop = 0;
    anchoring.hold({ isRestored: true });
    expect(topOf(150)).to.equal(0);
  });

  it('keeps the line in place even if the browser jumps when the device is rotated', () => {
    const { page, anchoring, topOf, readerScrolls } = createPage({ at: 3000 });
    Object.assign(page, { width: 844, height: 390, above: -500, scrollTop: 0 });
    anchoring.hold();
    expect(topOf(150)).to.equal(0);
    readerScrolls(2000);
    expect(page.scrollTop).to.equal(2000);
  });

  it('does not drift if the page repeatedly grows by a fraction of a pixel, whatever the number of scroll events', () => {
    for (const [growth, scrollEvents] of [
      [0.4, 1],
      [20.6, 2],
    ] as const) {
      const { page, anchoring, topOf } = createPage();
      for (let step = 1; step <= 100; step += 1) {
        page.above += growth;
        for (let event = 0; event < scrollEvents; event += 1) anchoring.hold();
        expect(Math.abs(topOf(50))).to.be.at.most(0.5);
      }
    }
  });

  it('anchors to the new first line after every scroll, even one that `hold` is the first to notice', () => {
    const { page, anchoring, topOf } = createPage();
    page.scrollTop = 2000;
    anchoring.hold();
    page.isRemoved = true;
    expect(topOf(100)).to.equal(0);
    page.isRemoved = false;
    page.above = 40;
    anchoring.hold();
    expect(topOf(100)).to.equal(0);
  });

  it('keeps the new first line in place after a scroll by less than the height of the window', () => {
    const { page, anchoring, topOf, readerScrolls } = createPage();
    readerScrolls(1100);
    page.gap = 40;
    anchoring.hold();
    expect(topOf(55)).to.equal(0);
  });

  it('never corrects a shift that happened while the page was too short to scroll', () => {
    for (const growth of [60, 0.75]) {
      const { page, anchoring, topOf } = createPage({ maxScroll: 1000 });
      page.above = growth;
      for (const maxScroll of [1000, 5000]) {
        page.maxScroll = maxScroll;
        anchoring.hold();
        expect(topOf(50)).to.equal(growth);
      }
    }
  });

  it('keeps a line below the top of the window in place', () => {
    const { page, anchoring, topOf } = createPage({ at: 1010 });
    for (const above of [30, 70]) {
      page.above = above;
      anchoring.hold();
      expect(topOf(51)).to.equal(10);
    }
  });

  it('does not scroll while the page is empty, and keeps the first line in place once the page has one', () => {
    const { page, anchoring, topOf } = createPage({ isEmpty: true });
    page.above = 30;
    anchoring.hold();
    expect(page.scrollTop).to.equal(1000);
    Object.assign(page, { isEmpty: false, above: 0 });
    anchoring.hold();
    page.above = 30;
    anchoring.hold();
    expect(topOf(50)).to.equal(0);
  });

  it('captures another anchor when the previous one is no longer on the page', () => {
    const { page, anchoring, topOf } = createPage();
    page.isRemoved = true;
    anchoring.hold();
    page.isRemoved = false;
    for (const above of [7, 107]) {
      page.above = above;
      anchoring.hold();
    }
    expect(topOf(50)).to.equal(7);
  });
});
