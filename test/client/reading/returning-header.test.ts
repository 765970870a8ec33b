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
    const { scrolled, isReturned } = createHeader();
    scrolled(500);
    for (let step = 0; step < 7; step += 1) scrolled(-1);
    expect(isReturned()).to.equal(false);
    scrolled(-1);
    expect(isReturned()).to.equal(true);
    scrolled(7);
    scrolled(-1);
    scrolled(7);
    expect(isReturned()).to.equal(true);
    scrolled(1);
    expect(isReturned()).to.equal(false);
  });

  it('hides the header on hide(), and resets the distance that the user has scrolled', () => {
    const { scrolled, hide, isReturned } = createHeader();
    scrolled(-20);
    hide();
    expect(isReturned()).to.equal(false);
    scrolled(-7);
    expect(isReturned()).to.equal(false);
  });
});
