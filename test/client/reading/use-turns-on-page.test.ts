import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  allTurnsOnPage,
  areAllOnPage,
  firstTurnsOnPage,
  isOnPage,
  moreTurnsOnPage,
  type TurnsOnPage,
  turnsOnPageOf,
} from '../../../client/reading/use-turns-on-page.ts';

const placesOf = (onPage: TurnsOnPage, count: number) =>
  Array.from({ length: count }, (_, place) => place).filter((place) => isOnPage(onPage, place));
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);

describe('The turns that are on the page', () => {
  it('are the latest of a long one at first, and then more of those above them', () => {
    const first = firstTurnsOnPage(100, undefined);
    expect(placesOf(first, 100)).to.deep.equal(range(80, 100));
    const next = moreTurnsOnPage(first);
    expect(placesOf(next, 100)).to.deep.equal(range(40, 100));
    const all = moreTurnsOnPage(next);
    expect(placesOf(all, 100)).to.deep.equal(range(0, 100));
    expect([first, next, all].map(areAllOnPage)).to.deep.equal([false, false, true]);
  });

  it('are also those around the one to which somebody is led: what is missing below comes before what is missing above', () => {
    let onPage = firstTurnsOnPage(200, 100);
    expect(placesOf(onPage, 200)).to.deep.equal([...range(90, 110), ...range(180, 200)]);
    onPage = moreTurnsOnPage(onPage);
    expect(placesOf(onPage, 200)).to.deep.equal([...range(90, 150), ...range(180, 200)]);
    onPage = moreTurnsOnPage(onPage);
    expect(placesOf(onPage, 200)).to.deep.equal(range(90, 200));
    onPage = moreTurnsOnPage(onPage);
    expect(placesOf(onPage, 200)).to.deep.equal(range(50, 200));
    expect(areAllOnPage(moreTurnsOnPage(moreTurnsOnPage(onPage)))).to.equal(true);
  });

  it('stay on it when the conversation grows, and are all there is where it has become short', () => {
    const first = firstTurnsOnPage(100, undefined);
    expect(placesOf(turnsOnPageOf(first, 102), 102)).to.deep.equal(range(80, 102));
    expect(placesOf(turnsOnPageOf(first, 90), 90)).to.deep.equal(range(70, 90));
    expect(placesOf(turnsOnPageOf(first, 5), 5)).to.deep.equal(range(0, 5));
    expect(placesOf(turnsOnPageOf(allTurnsOnPage, 300), 300)).to.deep.equal(range(0, 300));
  });
});
