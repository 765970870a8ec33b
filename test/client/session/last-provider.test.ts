import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { deviceKeys } from '../../../client/device/device-storage.ts';
import { deleteLastProvider, lastProvider, storeLastProvider } from '../../../client/session/last-provider.ts';
import { createFakeStorage } from '../../../client-package/testing/fake-storage.ts';
import { providerNames } from '../../../shared/session.ts';

describe('The provider of the last sign-in', () => {
  const setStorage = (localStorage = createFakeStorage()) => Object.assign(globalThis, { window: { localStorage } });

  beforeEach(() => void setStorage());
  afterEach(() => Reflect.deleteProperty(globalThis, 'window'));

  for (const name of providerNames) {
    it(`is “${name}” after a sign-in with it, and unknown after its deletion`, () => {
      storeLastProvider(name);
      expect(lastProvider()).to.equal(name);
      deleteLastProvider();
      expect(lastProvider()).to.equal(undefined);
    });
  }

  it('is unknown if another release has stored a provider that this release does not know', () => {
    window.localStorage.setItem(deviceKeys.provider, 'other');
    expect(lastProvider()).to.equal(undefined);
  });

  it('is unknown if the storage is full', () => {
    setStorage(createFakeStorage(0));
    storeLastProvider('google');
    expect(lastProvider()).to.equal(undefined);
  });
});
