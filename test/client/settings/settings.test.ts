import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createSettings, settingsKey } from '../../../client/settings/settings.ts';
import { createFakeStorage } from '../../../client-package/testing/fake-storage.ts';

const defaults = {
  theme: 'system',
  enter: 'auto',
  isListFolded: false,
  notifications: false,
};

describe('createSettings', () => {
  it('returns the defaults if nothing is stored', () => {
    expect(createSettings(createFakeStorage()).getState()).to.deep.equal(defaults);
  });

  for (const stored of ['', 'null', '[]', '"dark"', '{', '7']) {
    it(`returns the defaults if ${stored || 'an empty text'} is stored`, () => {
      const storage = createFakeStorage();
      storage.setItem(settingsKey, stored);
      expect(createSettings(storage).getState()).to.deep.equal(defaults);
    });
  }

  it('replaces an invalid value with the default, ignores unknown settings and keeps the others', () => {
    const storage = createFakeStorage();
    storage.setItem(
      settingsKey,
      JSON.stringify({ theme: 'pink', textSize: 'large', listWidth: 22, enter: 'send', notifications: 1 }),
    );
    expect(createSettings(storage).getState()).to.deep.equal({ ...defaults, enter: 'send' });
  });

  it('applies a change until the page is closed if the storage is full', () => {
    const settings = createSettings(createFakeStorage(0));
    settings.change({ theme: 'dark' });
    expect(settings.getState().theme).to.equal('dark');
  });
});
