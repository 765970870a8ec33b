import { expect } from 'chai';
import { describe, it } from 'mocha';
import { black, blend, contrast, parseColor, white } from '../../../client/diagram/color-contrast.ts';

const halfRed = { red: 1, green: 0, blue: 0, alpha: 0.5 };

describe('parseColor', () => {
  for (const [text, color] of [
    ['rgb(255, 0, 0)', { ...halfRed, alpha: 1 }],
    ['rgba(255, 0, 0, 0.5)', halfRed],
    ['color(srgb 1 0 0 / 0.5)', halfRed],
    ['none', null],
    ['url("#gradient")', null],
    ['oklch(0.5 0.1 20)', null],
    ['color(display-p3 1 0 0)', null],
  ] as const) {
    it(`reads the computed color ${text}`, () => {
      expect(parseColor(text)).to.deep.equal(color);
    });
  }
});

describe('contrast', () => {
  it('is 21 between black and white, and 1 between equal colors', () => {
    expect(contrast(white, black)).to.be.closeTo(21, 1e-9);
    expect(contrast(black, black)).to.equal(1);
  });

  it('is that of the painted colors', () => {
    const gray = { red: 0.4667, green: 0.4667, blue: 0.4667, alpha: 1 };
    expect(contrast(gray, white)).to.be.closeTo(4.48, 0.01);
    expect(blend(halfRed, white)).to.deep.equal({ red: 1, green: 0.5, blue: 0.5, alpha: 1 });
  });
});
