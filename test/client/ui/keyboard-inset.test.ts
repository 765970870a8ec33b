import { expect } from 'chai';
import { describe, it } from 'mocha';
import { keyboardInset } from '../../../client/ui/keyboard-inset.ts';

describe('the room that a keyboard on the screen takes', () => {
  it('is what is not seen below the page', () => {
    expect(keyboardInset({ layoutHeight: 844, seenHeight: 508, seenTop: 0, scale: 1 })).to.equal(336);
    expect(keyboardInset({ layoutHeight: 844, seenHeight: 508, seenTop: 100, scale: 1 })).to.equal(236);
  });

  it('is none where the browser makes the page smaller, or its own bars go', () => {
    expect(keyboardInset({ layoutHeight: 508, seenHeight: 508, seenTop: 0, scale: 1 })).to.equal(0);
    expect(keyboardInset({ layoutHeight: 760, seenHeight: 844, seenTop: 0, scale: 1 })).to.equal(0);
  });

  it('is none while the person has zoomed in', () => {
    expect(keyboardInset({ layoutHeight: 844, seenHeight: 422, seenTop: 0, scale: 2 })).to.equal(0);
  });
});
