import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { type Cooldown, createStoredCooldown } from '../../../client/chat/cooldown.ts';
import { createFakeClock, type FakeClock } from '../../../client-package/testing/fake-clock.ts';
import { createFakeStorage, type FakeStorage } from '../../../client-package/testing/fake-storage.ts';

const hour = 3_600_000;

describe('a wait that the device keeps', () => {
  let clock: FakeClock;
  let storage: FakeStorage;
  let cooldown: Cooldown;

  beforeEach(() => {
    clock = createFakeClock();
    storage = createFakeStorage();
    cooldown = createStoredCooldown(storage, 'blocked', clock);
  });

  it('is there until it is over, and then leaves nothing behind', async () => {
    expect(cooldown.load()).to.equal(null);
    const until = clock.now() + hour;
    cooldown.save(until);
    await clock.advance(hour - 1);
    expect(cooldown.load()).to.equal(until);
    await clock.advance(1);
    expect(cooldown.load()).to.equal(null);
    expect(storage.items.size).to.equal(0);
  });

  it('is none where it is longer than any limit of the service, or no time at all', () => {
    cooldown.save(clock.now() + 26 * hour);
    expect(cooldown.load()).to.equal(null);
    for (const value of ['', 'soon', 'NaN', 'Infinity', '{}']) {
      storage.setItem('blocked', value);
      expect(cooldown.load(), value).to.equal(null);
    }
  });
});
