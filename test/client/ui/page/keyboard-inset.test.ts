import { expect } from 'chai';
import { describe, it } from 'mocha';
import { keyboardInset } from '../../../../client/ui/page/keyboard-inset.ts';

describe('keyboardInset', () => {
  it('returns the height of the page that the keyboard covers', () => {
    expect(keyboardInset({ layoutHeight: 844, visibleHeight: 508, visibleTop: 0, scale: 1 })).to.equal(336);
    expect(keyboardInset({ layoutHeight: 844, visibleHeight: 508, visibleTop: 100, scale: 1 })).to.equal(236);
  });

  it('returns 0 if the browser shrinks the page or hides its toolbars', () => {
    expect(keyboardInset({ layoutHeight: 508, visibleHeight: 508, visibleTop: 0, scale: 1 })).to.equal(0);
    expect(keyboardInset({ layoutHeight: 760, visibleHeight: 844, visibleTop: 0, scale: 1 })).to.equal(0);
  });

  it('returns 0 while the page is zoomed in', () => {
    expect(keyboardInset({ layoutHeight: 844, visibleHeight: 422, visibleTop: 0, scale: 2 })).to.equal(0);
  });
});
