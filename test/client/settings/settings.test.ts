import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createSettings, settingsKey } from '../../../client/settings/settings.ts';
import { createFakeStorage } from '../../../client-package/testing/fake-storage.ts';

const defaults = {
  theme: 'system',
  textSize: 'normal',
  enter: 'auto',
  follow: 'end',
  isListFolded: false,
  listWidth: 18,
  notifications: false,
};

describe('the settings of a device', () => {
  it('leave everything to the device where nothing is set', () => {
    expect(createSettings(createFakeStorage()).getState()).to.deep.equal(defaults);
  });

  for (const kept of ['', 'null', '[]', '"dark"', '{', '7']) {
    it(`are as good as not set where the device keeps ${kept || 'an empty text'}`, () => {
      const storage = createFakeStorage();
      storage.setItem(settingsKey, kept);
      expect(createSettings(storage).getState()).to.deep.equal(defaults);
    });
  }

  it('hold one by one: a value that is none of ours does not undo the others', () => {
    const storage = createFakeStorage();
    storage.setItem(
      settingsKey,
      JSON.stringify({ theme: 'pink', textSize: 'large', listWidth: 900, notifications: 1 }),
    );
    expect(createSettings(storage).getState()).to.deep.equal({ ...defaults, textSize: 'large' });
  });

  it('hold for as long as the page is open where the device is full', () => {
    const settings = createSettings(createFakeStorage(0));
    settings.change({ textSize: 'small' });
    expect(settings.getState().textSize).to.equal('small');
  });
});
