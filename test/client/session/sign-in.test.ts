import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { deviceKeys } from '../../../client/device/device-storage.ts';
import {
  deleteLastProvider,
  lastProvider,
  providerUrl,
  readReturnTo,
  readReturnToAfterOnboarding,
  signInUrl,
  storeLastProvider,
} from '../../../client/session/sign-in.ts';
import { createFakeStorage } from '../../../client-package/testing/fake-storage.ts';
import { providerNames } from '../../../shared/session.ts';

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

describe('readReturnToAfterOnboarding', () => {
  it('returns the page that required the sign-in, but never the onboarding page', () => {
    expect(readReturnToAfterOnboarding('returnTo=/c/4f7c2a0e-5f0e')).to.equal('/c/4f7c2a0e-5f0e');
    expect(readReturnToAfterOnboarding('returnTo=/onboarding')).to.equal('/chat');
    expect(readReturnToAfterOnboarding('')).to.equal('/chat');
  });
});

describe('providerUrl', () => {
  it('contains the page to return to, and the invitation if there is one', () => {
    expect(providerUrl('google', '/c/4f7c2a0e-5f0e')).to.equal('/auth/google?returnTo=%2Fc%2F4f7c2a0e-5f0e');
    expect(providerUrl('google', '/chat', { choosesAccount: true })).to.equal(
      '/auth/google?returnTo=%2Fchat&prompt=select_account',
    );
    expect(providerUrl('github', '/chat', { invitation: 'a&b' })).to.equal(
      '/auth/github?returnTo=%2Fchat&invitation=a%26b',
    );
  });
});

describe('The provider of the last sign-in', () => {
  const setStorage = (localStorage = createFakeStorage()) => Object.assign(globalThis, { window: { localStorage } });

  beforeEach(() => void setStorage());
  afterEach(() => Reflect.deleteProperty(globalThis, 'window'));

  for (const name of providerNames) {
    it(`is “${name}” after a sign-in with “${name}”, and unknown after its deletion`, () => {
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
