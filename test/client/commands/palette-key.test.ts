import { expect } from 'chai';
import { describe, it } from 'mocha';
import { isPaletteKey } from '../../../client/commands/palette-key.ts';

const press = { key: 'k', code: 'KeyK', ctrlKey: false, metaKey: false, shiftKey: false, altKey: false };

describe('the key of the palette', () => {
  it('is Ctrl+K, and Cmd+K where there is a Cmd key', () => {
    expect(isPaletteKey({ ...press, ctrlKey: true }, false)).to.equal(true);
    expect(isPaletteKey({ ...press, metaKey: true }, true)).to.equal(true);
    expect(isPaletteKey({ ...press, ctrlKey: true }, true)).to.equal(false);
    expect(isPaletteKey({ ...press, metaKey: true }, false)).to.equal(false);
    expect(isPaletteKey(press, false)).to.equal(false);
  });

  it('is nothing with Shift or Alt, which are shortcuts of browsers', () => {
    expect(isPaletteKey({ ...press, ctrlKey: true, shiftKey: true }, false)).to.equal(false);
    expect(isPaletteKey({ ...press, ctrlKey: true, altKey: true }, false)).to.equal(false);
  });

  it('is in the place of K where the keyboard has no Latin letters, and by the letter where it has', () => {
    expect(isPaletteKey({ ...press, key: 'ن', ctrlKey: true }, false)).to.equal(true);
    expect(isPaletteKey({ ...press, key: 't', ctrlKey: true }, false)).to.equal(false);
    expect(isPaletteKey({ ...press, key: 'k', code: 'KeyV', ctrlKey: true }, false)).to.equal(true);
  });
});
