import { expect } from 'chai';
import { describe, it } from 'mocha';
import { enterMeaning, isSendKey } from '../../../client/settings/settings.ts';

const enter = { key: 'Enter', shiftKey: false, ctrlKey: false, metaKey: false, altKey: false };

describe('The Enter key in the message field', () => {
  it('by default sends with a mouse and starts a new line on a touch screen', () => {
    expect(enterMeaning('auto', false)).to.equal('send');
    expect(enterMeaning('auto', true)).to.equal('line');
    expect(enterMeaning('send', true)).to.equal('send');
    expect(enterMeaning('line', false)).to.equal('line');
  });

  it('without a modifier sends if its meaning is `send`, but not if it is `line`', () => {
    expect(isSendKey(enter, 'send')).to.equal(true);
    expect(isSendKey(enter, 'line')).to.equal(false);
  });

  it('always sends with Ctrl or Cmd, and never with Shift or Alt', () => {
    for (const meaning of ['send', 'line'] as const) {
      expect(isSendKey({ ...enter, ctrlKey: true }, meaning)).to.equal(true);
      expect(isSendKey({ ...enter, metaKey: true }, meaning)).to.equal(true);
      expect(isSendKey({ ...enter, shiftKey: true }, meaning)).to.equal(false);
      expect(isSendKey({ ...enter, altKey: true }, meaning)).to.equal(false);
    }
  });

  it('is the only key that sends', () => {
    expect(isSendKey({ ...enter, key: 'j', ctrlKey: true }, 'send')).to.equal(false);
  });
});
