import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { createKeptWait, type KeptWait } from '../../../client/chat/kept-wait.ts';
import { createFakeClock, type FakeClock } from '../../../client-package/testing/fake-clock.ts';
import { createFakeStorage, type FakeStorage } from '../../../client-package/testing/fake-storage.ts';

const hour = 3_600_000;

describe('a wait that the device keeps', () => {
  let clock: FakeClock;
  let storage: FakeStorage;
  let keptWait: KeptWait;

  beforeEach(() => {
    clock = createFakeClock();
    storage = createFakeStorage();
    keptWait = createKeptWait(storage, 'blocked', clock);
  });

  it('is there until it is over, and then leaves nothing behind', async () => {
    expect(keptWait.load()).to.equal(null);
    const until = clock.now() + hour;
    keptWait.save(until);
    await clock.advance(hour - 1);
    expect(keptWait.load()).to.equal(until);
    await clock.advance(1);
    expect(keptWait.load()).to.equal(null);
    expect(storage.items.size).to.equal(0);
  });

  it('is none where it is longer than any limit of the service, or no time at all', () => {
    keptWait.save(clock.now() + 26 * hour);
    expect(keptWait.load()).to.equal(null);
    for (const value of ['', 'soon', 'NaN', 'Infinity', '{}']) {
      storage.setItem('blocked', value);
      expect(keptWait.load(), value).to.equal(null);
    }
  });
});
