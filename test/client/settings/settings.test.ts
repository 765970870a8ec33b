import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createSettings, settingChoices, settingsKey } from '../../../client/settings/settings.ts';
import { createFakeStorage } from '../../../client-package/testing/fake-storage.ts';

const defaults = {
  theme: 'system',
  enter: 'auto',
  isListFolded: false,
  notifications: false,
};

describe('settingChoices', () => {
  it('lists the choices in the order of the dialog', () => {
    expect(settingChoices).to.deep.equal({ theme: ['system', 'light', 'dark'], enter: ['auto', 'send', 'line'] });
  });
});

describe('createSettings', () => {
  it('returns the defaults if nothing is stored', () => {
    expect(createSettings(createFakeStorage()).getState()).to.deep.equal(defaults);
  });

  for (const stored of ['', 'null', '[]', '"dark"', '{', '7']) {
    it(`returns the defaults if ${stored === '' ? 'an empty text' : `“${stored}”`} is stored`, () => {
      const storage = createFakeStorage();
      storage.setItem(settingsKey, stored);
      expect(createSettings(storage).getState()).to.deep.equal(defaults);
    });
  }

  it('replaces invalid values with the defaults, ignores unknown settings and keeps valid values', () => {
    const storage = createFakeStorage();
    storage.setItem(
      settingsKey,
      JSON.stringify({ theme: 'pink', textSize: 'large', listWidth: 22, enter: 'send', notifications: 1 }),
    );
    expect(createSettings(storage).getState()).to.deep.equal({ ...defaults, enter: 'send' });
  });

  for (const [name, choices] of Object.entries(settingChoices)) {
    for (const choice of choices) {
      it(`keeps the choice “${choice}” of the setting “${name}” for the next visit and for other tabs`, () => {
        const storage = createFakeStorage();
        const [settings, otherTab] = [createSettings(storage), createSettings(storage)];
        settings.change({ isListFolded: true, notifications: true });
        settings.change({ [name]: choice });
        const expected = { ...defaults, isListFolded: true, notifications: true, [name]: choice };
        expect(settings.getState()).to.deep.equal(expected);
        expect(createSettings(storage).getState()).to.deep.equal(expected);
        otherTab.reload();
        expect(otherTab.getState()).to.deep.equal(expected);
      });
    }
  }

  it('applies a change until the page is closed if the storage is full', () => {
    const settings = createSettings(createFakeStorage(0));
    settings.change({ theme: 'dark' });
    expect(settings.getState().theme).to.equal('dark');
  });
});

describe('settingChoices', () => {
  it('lists the choices in the order of the dialog', () => {
    expect(settingChoices).to.deep.equal({ theme: ['system', 'light', 'dark'], enter: ['auto', 'send', 'line'] });
  });
});
