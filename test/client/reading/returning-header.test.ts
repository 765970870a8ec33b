import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createReturningHeader } from '../../../client/reading/returning-header.ts';

function createHeader() {
  const attributes = new Set<string>();
  const root = {
    setAttribute: (name: string) => attributes.add(name),
    removeAttribute: (name: string) => attributes.delete(name),
  };
  return {
    ...createReturningHeader(root as unknown as HTMLElement),
    isReturned: () => attributes.has('data-header-returned'),
  };
}

describe('createReturningHeader', () => {
  it('returns the header once the user has scrolled up by eight pixels, and hides it after eight pixels down', () => {
    const { onScroll, isReturned } = createHeader();
    onScroll(500);
    for (let step = 0; step < 7; step += 1) onScroll(-1);
    expect(isReturned()).to.equal(false);
    onScroll(-1);
    expect(isReturned()).to.equal(true);
    onScroll(7);
    onScroll(-1);
    onScroll(7);
    expect(isReturned()).to.equal(true);
    onScroll(1);
    expect(isReturned()).to.equal(false);
  });

  it('hides the header on hide(), and resets the distance that the user has scrolled', () => {
    const { onScroll, hide, isReturned } = createHeader();
    onScroll(-20);
    hide();
    expect(isReturned()).to.equal(false);
    onScroll(-7);
    expect(isReturned()).to.equal(false);
  });
});
