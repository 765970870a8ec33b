import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import {
  canStoreData,
  deleteDemoData,
  deleteUserData,
  deviceKeys,
  deviceStorage,
  hasRetainedConversations,
  markConversationsRetained,
} from '../../../client/device/device-storage.ts';
import { createFakeStorage } from '../../../client-package/testing/fake-storage.ts';

describe('The data on this device', () => {
  afterEach(() => void Reflect.deleteProperty(globalThis, 'window'));

  it('is deleted from all storages for one user, and kept for all others', () => {
    const storages = [createFakeStorage(), createFakeStorage()];
    const of = (userId: string) => [
      `${deviceKeys.conversations(userId)}:draft`,
      deviceKeys.openConversation(userId),
      deviceKeys.readingPosition(userId),
      deviceKeys.cooldownUntil(userId),
      deviceKeys.onboardingForm(userId),
      deviceKeys.firstQuestions(userId),
      deviceKeys.retainedConversations(userId),
    ];
    for (const storage of storages) for (const key of [...of('ave'), ...of('avery')]) storage.setItem(key, 'stored');
    deleteUserData('ave', storages);
    for (const storage of storages) expect([...storage.items.keys()]).to.deep.equal(of('avery'));
  });

  it('is deleted for the demo, except for the time until which the service accepts no question', () => {
    const storage = createFakeStorage();
    const others = [deviceKeys.demoBlockedUntil, deviceKeys.provider];
    for (const key of [deviceKeys.demo, `${deviceKeys.demo}:typed`, ...others]) storage.setItem(key, 'stored');
    deleteDemoData(storage);
    expect([...storage.items.keys()]).to.deep.equal(others);
  });

  it('includes a mark for the kept conversations of a signed-out user, unless the storage is full', () => {
    const storage = createFakeStorage();
    expect(hasRetainedConversations(storage)).to.equal(false);
    markConversationsRetained('avery', storage);
    expect(hasRetainedConversations(storage)).to.equal(true);
    const full = { ...createFakeStorage(), setItem: () => expect.fail('QuotaExceededError') };
    markConversationsRetained('avery', full);
    expect(hasRetainedConversations(full)).to.equal(false);
  });

  const denied = {
    get localStorage() {
      throw new DOMException('Denied.', 'SecurityError');
    },
  };
  for (const [how, window] of [
    ['denies access to its storage', denied],
    ['has no storage', { localStorage: null }],
  ] as const) {
    it(`is kept in memory if the browser ${how}`, () => {
      Object.assign(globalThis, { window });
      expect(canStoreData()).to.equal(false);
      const storage = deviceStorage('localStorage');
      storage.setItem('one', '1');
      storage.setItem('two', '2');
      storage.removeItem('one');
      expect([storage.getItem('one'), storage.getItem('two')]).to.deep.equal([null, '2']);
      expect([storage.length, storage.key(0), storage.key(1)]).to.deep.equal([1, 'two', null]);
    });
  }

  it('is kept in the storage of the browser if the browser allows access to it', () => {
    const [localStorage, sessionStorage] = [createFakeStorage(), createFakeStorage()];
    Object.assign(globalThis, { window: { localStorage, sessionStorage } });
    expect(canStoreData()).to.equal(true);
    expect(deviceStorage('localStorage')).to.equal(localStorage);
    expect(deviceStorage('sessionStorage')).to.equal(sessionStorage);
    markConversationsRetained('ada');
    expect(hasRetainedConversations()).to.equal(true);
    localStorage.setItem(deviceKeys.demo, 'stored');
    sessionStorage.setItem(deviceKeys.openConversation('ada'), 'stored');
    deleteUserData('ada');
    deleteDemoData();
    expect([...localStorage.items, ...sessionStorage.items]).to.deep.equal([]);
  });
});
