import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createSettingsStore, settingChoices, settingsKey } from '../../../client/settings/settings.ts';
import { createFakeStorage } from '../../../client-package/testing/fake-storage.ts';

const defaults = { theme: 'system', enter: 'auto', isListFolded: false, notifications: false };

describe('settingChoices', () => {
  it('lists the choices in the order of the dialog', () => {
    expect(settingChoices).to.deep.equal({ theme: ['system', 'light', 'dark'], enter: ['auto', 'send', 'line'] });
  });
});

describe('createSettings', () => {
  const damaged = { theme: 'pink', textSize: 'large', listWidth: 22, enter: 'send', notifications: 1 };
  for (const [what, stored, expected] of [
    ['the defaults if nothing is stored', null, {}],
    ...['', 'null', '[]', '"dark"', '{', '7'].map((text) => [`the defaults if “${text}” is stored`, text, {}] as const),
    ['only the valid values of stored settings', JSON.stringify(damaged), { enter: 'send' }],
  ] as const) {
    it(`returns ${what}`, () => {
      const storage = createFakeStorage();
      if (stored !== null) storage.setItem(settingsKey, stored);
      expect(createSettingsStore(storage).getState()).to.deep.equal({ ...defaults, ...expected });
    });
  }

  for (const [name, choices] of Object.entries(settingChoices)) {
    for (const choice of choices) {
      it(`keeps the choice “${choice}” of the setting “${name}” for the next visit and for other tabs`, () => {
        const storage = createFakeStorage();
        const [settings, otherTab] = [createSettingsStore(storage), createSettingsStore(storage)];
        settings.change({ isListFolded: true, notifications: true });
        settings.change({ [name]: choice });
        const expected = { ...defaults, isListFolded: true, notifications: true, [name]: choice };
        expect(settings.getState()).to.deep.equal(expected);
        expect(createSettingsStore(storage).getState()).to.deep.equal(expected);
        otherTab.reload();
        expect(otherTab.getState()).to.deep.equal(expected);
      });
    }
  }

  it('applies a change until the page is closed if the storage is full', () => {
    const settings = createSettingsStore(createFakeStorage(0));
    settings.change({ theme: 'dark' });
    expect(settings.getState().theme).to.equal('dark');
  });
});
