import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import {
  browserSiteStorage,
  createPersistenceRequester,
  readUsage,
  type SiteStorage,
  toByteUnit,
} from '../../../client/device/site-storage.ts';

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
    expect(await readUsage(siteStorage)).to.deep.equal({ usedBytes: 5, quotaBytes: 100, isPersistent: true });
  });

  it('returns only the bytes of the conversations if the browser counts them separately from the cached code of the page', async () => {
    const estimate = async () => ({ usage: 2_500_000, quota: 100, usageDetails: { indexedDB: 7, caches: 2_400_000 } });
    expect((await readUsage({ ...siteStorage, estimate })).usedBytes).to.equal(7);
  });

  it('returns what is known if the browser denies access to the rest', async () => {
    const unknown = { usedBytes: undefined, quotaBytes: undefined };
    expect(await readUsage({ ...siteStorage, estimate: fails })).to.deep.equal({ ...unknown, isPersistent: true });
    const known = { usedBytes: 5, quotaBytes: 100 };
    expect(await readUsage({ ...siteStorage, persisted: fails })).to.deep.equal({ ...known, isPersistent: false });
  });
});

describe('browserSiteStorage', () => {
  const { navigator } = globalThis;
  const setNavigator = (value: object) => Object.defineProperty(globalThis, 'navigator', { configurable: true, value });
  afterEach(() => void setNavigator(navigator));

  it('returns the storage of the browser, or one without information if the browser has none', async () => {
    setNavigator({ storage: siteStorage });
    expect(await readUsage(browserSiteStorage())).to.include({ usedBytes: 5, quotaBytes: 100, isPersistent: true });
    expect(await browserSiteStorage().persist()).to.equal(true);
    setNavigator({});
    const unknown = { usedBytes: undefined, quotaBytes: undefined, isPersistent: false };
    expect(await readUsage(browserSiteStorage())).to.deep.equal(unknown);
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
