import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import {
  browserSiteStorage,
  canStoreData,
  createPersistenceRequester,
  deleteDemoData,
  deleteUserData,
  deviceKeys,
  deviceStorage,
  hasRetainedConversations,
  markConversationsRetained,
  type SiteStorage,
  toByteUnit,
  usageOf,
} from '../../../client/device/device-storage.ts';
import { createFakeStorage } from '../../../client-package/testing/fake-storage.ts';

describe('toByteUnit', () => {
  for (const [bytes, formatted] of [
    [0, '0 kB'],
    [98_304, '98.3 kB'],
    [999_499, '999 kB'],
    [999_500, '1 MB'],
    [10_737_418, '10.7 MB'],
    [10_737_418_240, '10.7 GB'],
  ] as const) {
    it(`returns “${formatted}” for ${bytes} bytes`, () => {
      const { value, unit } = toByteUnit(bytes);
      expect(value.toLocaleString('en', { style: 'unit', unit, maximumSignificantDigits: 3 })).to.equal(formatted);
    });
  }
});

const siteStorage: SiteStorage = {
  estimate: async () => ({ usage: 5, quota: 100 }),
  persisted: async () => true,
  persist: async () => true,
};
const fails = () => Promise.reject(new TypeError('Denied.'));

describe('usageOf', () => {
  it('returns the used bytes, the quota, and whether the storage is persistent', async () => {
    expect(await usageOf(siteStorage)).to.deep.equal({ usedBytes: 5, quotaBytes: 100, isPersistent: true });
  });

  it('returns only the bytes of the conversations if the browser tells them from the cached code of the page', async () => {
    const estimate = async () => ({ usage: 2_500_000, quota: 100, usageDetails: { indexedDB: 7, caches: 2_400_000 } });
    expect((await usageOf({ ...siteStorage, estimate })).usedBytes).to.equal(7);
  });

  it('returns what is known if the browser denies access to the rest', async () => {
    const unknown = { usedBytes: undefined, quotaBytes: undefined };
    expect(await usageOf({ ...siteStorage, estimate: fails })).to.deep.equal({ ...unknown, isPersistent: true });
    expect(await usageOf({ ...siteStorage, persisted: fails })).to.deep.equal({
      usedBytes: 5,
      quotaBytes: 100,
      isPersistent: false,
    });
  });
});

describe('browserSiteStorage', () => {
  const { navigator } = globalThis;
  const setNavigator = (value: object) => Object.defineProperty(globalThis, 'navigator', { configurable: true, value });
  afterEach(() => void setNavigator(navigator));

  it('returns the storage of the browser, or one without information if the browser has none', async () => {
    setNavigator({ storage: siteStorage });
    expect(await usageOf(browserSiteStorage())).to.include({ usedBytes: 5, quotaBytes: 100, isPersistent: true });
    expect(await browserSiteStorage().persist()).to.equal(true);
    setNavigator({});
    const unknown = { usedBytes: undefined, quotaBytes: undefined, isPersistent: false };
    expect(await usageOf(browserSiteStorage())).to.deep.equal(unknown);
    expect(await browserSiteStorage().persist()).to.equal(false);
  });
});

describe('createPersistenceRequester', () => {
  it('asks the browser only once, even if the request fails', async () => {
    let requests = 0;
    const persist = () => {
      requests += 1;
      return fails();
    };
    const request = createPersistenceRequester({ ...siteStorage, persist });
    expect(requests).to.equal(0);
    request();
    request();
    await Promise.resolve();
    expect(requests).to.equal(1);
  });
});

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
  });
});
