import { expect } from 'chai';
import { describe, it } from 'mocha';
import { keyboardInset } from '../../../../client/ui/page/keyboard-inset.ts';

describe('keyboardInset', () => {
  for (const [inset, title, layoutHeight, visibleHeight, visibleTop, scale] of [
    [336, 'while the keyboard covers this height', 844, 508, 0, 1],
    [236, 'while the keyboard covers this height of a page that is panned', 844, 508, 100, 1],
    [0, 'if the browser shrinks the page', 508, 508, 0, 1],
    [0, 'if the browser hides its toolbars', 760, 844, 0, 1],
    [0, 'while the page is zoomed in', 844, 422, 0, 2],
  ] as const) {
    it(`returns ${inset} ${title}`, () => {
      expect(keyboardInset({ layoutHeight, visibleHeight, visibleTop, scale })).to.equal(inset);
    });
  }
});
