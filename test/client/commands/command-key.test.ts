import { expect } from 'chai';
import { describe, it } from 'mocha';
import { isCommandKey } from '../../../client/commands/command-key.ts';

const press = { key: 'k', code: 'KeyK', ctrlKey: false, metaKey: false, shiftKey: false, altKey: false };

describe('the key of a command', () => {
  it('is Ctrl+K, and Cmd+K where there is a Cmd key', () => {
    expect(isCommandKey({ ...press, ctrlKey: true }, { letter: 'k' }, false)).to.equal(true);
    expect(isCommandKey({ ...press, metaKey: true }, { letter: 'k' }, true)).to.equal(true);
    expect(isCommandKey({ ...press, ctrlKey: true }, { letter: 'k' }, true)).to.equal(false);
    expect(isCommandKey({ ...press, metaKey: true }, { letter: 'k' }, false)).to.equal(false);
    expect(isCommandKey(press, { letter: 'k' }, false)).to.equal(false);
  });

  it('is nothing with Shift or Alt, which are shortcuts of browsers', () => {
    expect(isCommandKey({ ...press, ctrlKey: true, shiftKey: true }, { letter: 'k' }, false)).to.equal(false);
    expect(isCommandKey({ ...press, ctrlKey: true, altKey: true }, { letter: 'k' }, false)).to.equal(false);
  });

  it('has Shift where it says so', () => {
    const key = { letter: 'k', shift: true };
    expect(isCommandKey({ ...press, key: 'K', ctrlKey: true, shiftKey: true }, key, false)).to.equal(true);
    expect(isCommandKey({ ...press, ctrlKey: true }, key, false)).to.equal(false);
  });

  it('is in the place of K where the keyboard has no Latin letters, and by the letter where it has', () => {
    expect(isCommandKey({ ...press, key: 'ن', ctrlKey: true }, { letter: 'k' }, false)).to.equal(true);
    expect(isCommandKey({ ...press, key: 't', ctrlKey: true }, { letter: 'k' }, false)).to.equal(false);
    expect(isCommandKey({ ...press, key: 'k', code: 'KeyV', ctrlKey: true }, { letter: 'k' }, false)).to.equal(true);
  });
});
