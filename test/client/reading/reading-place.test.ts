import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createReadingPlace, type Mark } from '../../../client/reading/reading-place.ts';

/** A page of lines 20 pixels high, scrolled by whole pixels between 0 and `most`; `above` is what stands before the first. */
function createPage({ most = 10_000 } = {}) {
  const page = { scrollTop: 0, above: 0, most, isGone: false, isFocusNew: false };
  const topOf = (line: number) => page.above + line * 20 - page.scrollTop;
  const scroll = (top: number) => {
    page.scrollTop = Math.round(Math.min(page.most, Math.max(0, top)));
  };
  const mark = (line: number): Mark => ({ top: () => (page.isGone ? undefined : topOf(line)) });
  const place = createReadingPlace({
    scrollTop: () => page.scrollTop,
    scrollTo: scroll,
    height: () => 800,
    isFocusNew: () => page.isFocusNew,
    find: () => mark(Math.ceil((page.scrollTop - page.above) / 20)),
  });
  return {
    page,
    place,
    topOf,
    readerScrolls(top: number) {
      scroll(top);
      place.hold();
    },
  };
}

describe('A place that is kept', () => {
  it('moves by what the person scrolls, and by no more where the page has changed in the same frame', () => {
    const { page, topOf, readerScrolls } = createPage();
    readerScrolls(1000);
    page.above = 300;
    readerScrolls(1100);
    expect(topOf(50)).to.equal(-100);
  });

  it('is where somebody has scrolled to, even where that is told only after the next change', () => {
    const { page, place, topOf, readerScrolls } = createPage();
    readerScrolls(1000);
    page.scrollTop = 600;
    page.above = 30;
    place.hold();
    expect(topOf(50)).to.equal(400);
  });

  it('is where the browser shows what has got the focus, or somebody has gone further than a window, though the page has changed', () => {
    for (const [to, isFocusNew] of [
      [1100, true],
      [3000, false],
    ] as const) {
      const { page, readerScrolls } = createPage();
      readerScrolls(1000);
      page.isFocusNew = isFocusNew;
      page.above = 300;
      readerScrolls(to);
      expect(page.scrollTop).to.equal(to);
    }
  });

  for (const [growth, tellings] of [
    [0.4, 1],
    [20.6, 2],
  ] as const) {
    it(`does not wander where whole pixels alone can put ${growth} right, and that is told ${tellings} times`, () => {
      const { page, place, topOf, readerScrolls } = createPage();
      readerScrolls(1000);
      for (let step = 1; step <= 100; step += 1) {
        page.above += growth;
        for (let told = 0; told < tellings; told += 1) place.hold();
        expect(Math.abs(topOf(50))).to.be.at.most(0.5);
      }
    });
  }

  it('is another line once somebody has scrolled, whatever has told of it', () => {
    const { page, place, topOf, readerScrolls } = createPage();
    readerScrolls(1000);
    page.scrollTop = 2000;
    place.hold();
    page.isGone = true;
    expect(topOf(100)).to.equal(0);
    page.isGone = false;
    page.above = 40;
    place.hold();
    expect(topOf(100)).to.equal(0);
  });

  for (const growth of [60, 0.75]) {
    it(`does not move when the page grows by what kept it from being scrolled ${growth} pixels further`, () => {
      const { page, place, topOf, readerScrolls } = createPage({ most: 1000 });
      readerScrolls(1000);
      page.above = growth;
      place.hold();
      expect(topOf(50)).to.equal(growth);
      page.most = 5000;
      place.hold();
      expect(topOf(50)).to.equal(growth);
    });
  }

  it('is another one where what was kept is gone', () => {
    const { page, place, topOf, readerScrolls } = createPage();
    readerScrolls(1000);
    page.isGone = true;
    place.hold();
    page.isGone = false;
    page.above = 7;
    place.hold();
    page.above = 107;
    place.hold();
    expect(topOf(50)).to.equal(7);
  });
});
