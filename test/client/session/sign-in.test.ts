import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { deviceKeys } from '../../../client/device/device-storage.ts';
import {
  lastProvider,
  providerUrl,
  readReturnTo,
  signInUrl,
  storeLastProvider,
} from '../../../client/session/sign-in.ts';
import { createFakeStorage } from '../../../client-package/testing/fake-storage.ts';

describe('readReturnTo', () => {
  for (const [search, page] of [
    [signInUrl('/onboarding').replace('/sign-in?', ''), '/onboarding'],
    ['returnTo=/c/4f7c2a0e-5f0e', '/c/4f7c2a0e-5f0e'],
    ['', '/chat'],
    ['returnTo=', '/chat'],
    ['returnTo=//evil.example', '/chat'],
    ['returnTo=https://evil.example/', '/chat'],
    ['returnTo=/\\evil', '/chat'],
    ['returnTo=/c/../api/chat', '/chat'],
    ['returnTo=//evil.example/c/one', '/chat'],
  ] as const) {
    it(`returns “${page}” for “${search}”`, () => {
      expect(readReturnTo(search)).to.equal(page);
    });
  }
});

describe('providerUrl', () => {
  it('contains the page to return to, and the invitation if there is one', () => {
    const url = providerUrl('github', '/chat', { invitation: 'a&b' });
    expect(url).to.equal('/auth/github?returnTo=%2Fchat&invitation=a%26b');
  });
});

describe('The provider of the last sign-in', () => {
  const setStorage = (localStorage = createFakeStorage()) => Object.assign(globalThis, { window: { localStorage } });

  beforeEach(() => void setStorage());
  afterEach(() => Reflect.deleteProperty(globalThis, 'window'));

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
